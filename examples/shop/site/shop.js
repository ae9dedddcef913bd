import { API_URL, MAIN_URL } from './config.js'
import { itemStorage, MainstayError, satelliteClient } from './mainstay.js'
import { handOff } from './mainstay-handoff.js'
import { bicycles, changeStock, soldToday } from './stock.js'

const client = satelliteClient({ baseUrl: API_URL, storage: itemStorage(() => localStorage) })
const { loginThroughMain, completeHandOff } = handOff(client, { mainUrl: MAIN_URL })

const LOGIN_PROBLEMS = {
  INVALID_CREDENTIALS: 'The e-mail address or the password is wrong.',
  TOO_MANY_ATTEMPTS: 'Too many attempts. Please wait some minutes.',
}
const ASKED_BY_MAIN = ['HANDOFF_REQUIRED', 'OWNER_LOGIN_BARRED', 'SECOND_FACTOR_REQUIRED']
const HAND_OFF_PROBLEMS = {
  access_denied: 'You cancelled on the main site, or this shop accepts passwords only.',
  not_invited: 'Your account is not invited to this shop.',
  expired: 'That took too long. Please log in again.',
}
const price = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP', maximumFractionDigits: 0 })
const element = id => document.getElementById(id)

// Nobody is logged in by the page: it only shows what the access token allows. Whoever keeps real stock checks the token
// again; examples/express-backend does.
client.onChange(show)
element('open-login').onclick = () => element('login').showModal()
element('logout').onclick = () => client.logout()
element('through-main').onclick = () => leaveForMain()
element('with-password').onsubmit = async event => {
  event.preventDefault()
  const form = event.target
  element('problem').textContent = ''
  try {
    await client.login(Object.fromEntries(new FormData(form)))
    form.reset()
    element('login').close()
  } catch (error) {
    // A second factor, an owner who may type their password nowhere else, or a shop that takes no passwords: the main site
    // knows how to ask.
    if (ASKED_BY_MAIN.includes(error.code)) leaveForMain({ loginHint: form.email.value })
    else element('problem').textContent = problemIn(error)
  }
}

show(client.state)
try {
  const result = await completeHandOff()
  // Back to where they were.
  if (result) history.replaceState(history.state, '', result.path)
  if (result?.status === 'refused') notify(HAND_OFF_PROBLEMS[result.reason] ?? 'You are not logged in.')
} catch {
  notify('We could not log you in. Please try again.')
}
client.refresh().catch(() => {})

function leaveForMain(options) {
  loginThroughMain(options).catch(() => {
    element('problem').textContent = 'Please allow this site to store data in your browser, then try again.'
  })
}

function show({ status, caller }) {
  element('open-login').hidden = status !== 'loggedOut'
  element('staff').hidden = status !== 'loggedIn'
  showStock(caller?.permissions.dataEntry ?? false)
  element('report').hidden = !caller?.permissions.viewReports
  const { bicycles: sold, takings } = soldToday()
  element('sold').textContent = sold
  element('takings').textContent = price.format(takings)
}

function showStock(mayChange) {
  element('bicycles').replaceChildren(
    ...bicycles().map(bicycle => {
      const row = document.createElement('tr')
      const cells = [bicycle.name, price.format(bicycle.price), bicycle.stock || 'sold out']
      for (const text of cells) row.insertCell().textContent = text
      const actions = row.insertCell()
      actions.className = 'actions'
      if (mayChange)
        actions.append(
          button(
            `Sell one ${bicycle.name}`,
            'Sell one',
            () => changeStock(bicycle.name, -1),
            bicycle.stock === 0,
          ),
          button(`Add one ${bicycle.name}`, 'Add one', () => changeStock(bicycle.name, 1)),
        )
      return row
    }),
  )
}

function button(label, text, change, disabled = false) {
  const made = Object.assign(document.createElement('button'), {
    textContent: text,
    disabled,
    className: 'quiet',
  })
  made.setAttribute('aria-label', label)
  made.onclick = () => {
    change()
    show(client.state)
    // The rows are new ones.
    document.querySelector(`[aria-label="${label}"]`)?.focus()
  }
  return made
}

function notify(text) {
  element('notice').textContent = text
}

function problemIn(error) {
  if (!(error instanceof MainstayError)) return 'There is no connection. Please try again.'
  return LOGIN_PROBLEMS[error.code] ?? 'We cannot log you in at the moment. Please try again.'
}
