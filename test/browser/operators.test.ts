import { beforeEach, describe, expect, test } from '@jest/globals'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import {
  AuditLog,
  accounts,
  auditEvent,
  FailedMails,
  Mailer,
  secondsAfter,
  Users,
  users,
} from '../sources.js'
import { giveAuthenticator } from '../support/authenticator.js'
import { eventually } from '../support/eventually.js'
import { openSession } from '../support/open-session.js'
import { aMember, anOwner } from '../support/people.js'
import { mailResetLink } from '../support/reset-link.js'
import { aSatellite, setSatelliteState } from '../support/satellites.js'
import { startBuiltPages } from './stage/built-pages.js'
import type { Certificate } from './stage/certificate.js'
import { expectGoodPage } from './stage/good-page.js'
import { CUSTOMER, EVIL, MAIN, OPERATORS, SHOP_ONE, SIBLING } from './stage/hosts.js'
import { anOperator, CONSOLE, logInAsOperator, type Operator } from './stage/operator-login.js'
import { together } from './stage/pages.js'
import { startPlainPages } from './stage/plain-pages.js'
import { untilShown, visit } from './stage/site-page.js'
import { aStage } from './stage/stage.js'
import { addAuthenticator } from './stage/virtual-authenticator.js'

const REASON = 'asked for by phone, ticket 4711'

/** The real pages, and on all other origins pages that are nobody's friends. */
const startAllPages = (certificate: Certificate) =>
  together(startPlainPages(certificate), startBuiltPages(certificate))

const client = (origin: string) => ({ requestId: 'a', ip: '203.0.113.7', userAgent: 'curl/8', origin })

const stage = aStage(startAllPages, {
  ...CONSOLE,
  SITE_NAME: 'Acme',
})
let operator: Operator
let page: Page
beforeEach(async () => {
  operator = await anOperator(stage.app)
  await open('en-GB')
})

async function open(locale: string): Promise<void> {
  page = await stage.newTab({ locale })
  await visit(page, OPERATORS)
}

function logIn(code?: string): Promise<void> {
  return logInAsOperator(page, operator, code)
}

const MENU = 'Account menu'

async function menu(item: string): Promise<void> {
  await page.getByRole('button', { name: MENU }).click()
  await page.locator('.menu').getByText(item, { exact: true }).click()
}

async function search(text: string): Promise<void> {
  await page.getByLabel('Account or user').fill(text)
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByRole('heading', { name: 'Users' }).waitFor()
  await untilShown(page)
}

/** Presses the button, says why, and waits for the news. */
async function change(button: string, said: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill(REASON)
  await dialog.getByRole('button', { name: button.split(' ')[0] as string }).click()
  await page.getByText(said).waitFor()
  await untilShown(page)
}

describe('an operator', () => {
  test('logs in with a code, finds somebody, and helps them', async () => {
    const owner = await anOwner(stage.app)
    const member = await aMember(stage.app, owner)
    await giveAuthenticator(stage.app, member)
    await openSession(stage.app, owner, 'main', client(MAIN))
    await openSession(stage.app, owner, 'satellite', client(SHOP_ONE))
    await aSatellite(stage.app, owner, CUSTOMER)

    await logIn(operator.app.wrongCode())
    await page.getByText('The address, the password or the code is wrong.').waitFor()
    await logIn()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await page.evaluate('document.documentElement.lang')).toBe('en')

    await search(owner.email)
    await page.getByRole('link', { name: owner.email }).click()
    await page.getByRole('heading', { name: owner.email }).waitFor()
    await untilShown(page)
    await change('End all', 'have ended')
    await change('Disable', 'is disabled')
    await page.getByRole('button', { name: 'Enable' }).waitFor()
    await page.getByText('Disabled by an operator').waitFor()
    // The button that was pressed is gone.
    await eventually(async () => !(await page.evaluate('document.activeElement === document.body')))
    expect((await stage.app.get(Users).find(owner.id))?.disabledAt).not.toBeNull()
    await page.getByText(REASON).first().waitFor()

    await page.getByRole('link', { name: 'Unnamed account' }).click()
    await page.getByRole('heading', { name: owner.email }).waitFor()
    await page.getByText(CUSTOMER).waitFor()
    await change(`Suspend ${CUSTOMER}`, 'is suspended')
    await change(`Resume ${CUSTOMER}`, 'is active')

    await page.getByRole('link', { name: member.email }).click()
    await page.getByRole('heading', { name: member.email }).waitFor()
    await change('Reset in 24 hours', 'has been told by mail')
    await page.getByText('All of them are going to be removed on').waitFor()
    await change('Keep them', 'The second factors stay')
  })

  test('finds somebody by a part of their name, and again on the first page, below what needs attention', async () => {
    const owner = await anOwner(stage.app)
    const database = stage.app.database
    const name = `Yuki Tanaka ${owner.id.slice(0, 8)}`
    await database.run(db => db.update(users).set({ name }).where(eq(users.id, owner.id)))
    const deleteAt = secondsAfter(stage.app.clock.now(), 14 * 24 * 60 * 60)
    await database.run(db =>
      db.update(accounts).set({ name: 'Leaving soon', deleteAt }).where(eq(accounts.id, owner.accountId)),
    )
    await logIn()
    await search(name.slice(5))
    await page.getByRole('link', { name: owner.email }).click()
    await page.getByRole('heading', { name: owner.email }).waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: owner.email }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Leaving soon is going to be deleted' }).waitFor()
    await page.getByRole('img', { name: 'Sign-ups by day' }).waitFor()
    await page.getByText('Show by day').click()
    expect(await page.getByRole('row').count()).toBe(31)
    await expectGoodPage(page, 'operators-overview')
  })

  test('searches further where one step has not looked at everybody, and sees each of the found once', async () => {
    const [one, other] = [await anOwner(stage.app), await anOwner(stage.app)]
    await page.route('**/api/operator/search?*', route => {
      const isFirst = !new URL(route.request().url()).searchParams.has('after')
      const found = isFirst ? [one] : [one, other]
      return route.fulfill({ json: { accounts: [], users: found, next: isFirst ? 'MjUwMDA' : null } })
    })
    await logIn()
    await search('example')
    expect(await page.getByRole('link', { name: other.email }).count()).toBe(0)
    await page.getByRole('button', { name: 'Search further' }).click()
    await page.getByRole('link', { name: other.email }).waitFor()
    expect(await page.getByRole('link', { name: one.email }).count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Search further' }).count()).toBe(0)
  })

  test.each([375, 1280])('sees the first page without anything moving, at %i pixels', async width => {
    await logIn()
    await page.getByRole('heading', { name: 'Last viewed' }).waitFor()
    await page.setViewportSize({ width, height: 800 })
    let requests = 0
    await page.route('**/api/**', async route => {
      await page.waitForTimeout(60 * ++requests)
      await route.continue()
    })
    await page.addInitScript(`
      globalThis.shifts = []
      new PerformanceObserver(list => shifts.push(...list.getEntries().map(({ value }) => value)))
        .observe({ type: 'layout-shift', buffered: true })`)
    await visit(page, OPERATORS)
    await page.getByRole('heading', { name: 'Last viewed' }).waitFor()
    const shifts = (await page.evaluate('shifts')) as number[]
    expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThanOrEqual(0.05)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('sees what waits and what has failed', async () => {
    await logIn()
    for (const link of ['Satellites', 'Payment events', 'Failed mails', 'Activity', 'Health']) {
      await page.getByRole('link', { name: link, exact: true }).click()
      await page.getByRole('heading', { name: link, level: 1 }).waitFor()
      await untilShown(page)
    }
    await visit(page, `${OPERATORS}/nothing`)
    await page.getByText('Page not found').waitFor()
    for (const kind of ['users', 'accounts']) {
      await visit(page, `${OPERATORS}/${kind}/00000000-0000-4000-8000-000000000000`)
      await page.getByText('It may have been removed').waitFor()
    }
  })

  test('takes over a suspension that the account has made', async () => {
    const origin = 'https://taken-over.example'
    const satellite = await aSatellite(stage.app, await anOwner(stage.app), origin)
    await setSatelliteState(stage.app, satellite, 'suspended')
    await logIn()
    await page.getByRole('link', { name: 'Satellites', exact: true }).click()
    await page.getByLabel('Origin starts with').fill('taken-over')
    await page.waitForURL(/origin=taken-over/)
    await untilShown(page)
    await page.getByRole('button', { name: `Resume ${origin}` }).click()
    await page.getByText('The account has suspended it.').waitFor()
    await page.keyboard.press('Escape')
    await change(`Suspend ${origin}`, 'is suspended')
    await page.getByText('suspended by an operator').waitFor()
    expect(await page.getByRole('button', { name: `Suspend ${origin}` }).count()).toBe(0)

    await page.getByRole('link', { name: 'Satellites', exact: true }).click()
    await eventually(async () => (await page.getByLabel('Origin starts with').inputValue()) === '')
  })

  test('is told in an outage that nothing is known, not what was', async () => {
    await logIn()
    await page.getByRole('link', { name: 'Health' }).click()
    await page.getByText('Session store').waitFor()
    const isDown = { status: 503, contentType: 'application/problem+json' }
    const body = JSON.stringify({ status: 503, code: 'DATABASE_UNAVAILABLE', title: 'Down' })
    await page.route('**/api/operator/**', route => route.fulfill({ ...isDown, body }))
    await page.getByText('Not known: the console itself needs the database.').waitFor()
    expect(await page.getByText('Session store').count()).toBe(0)
    await page.reload()
    await page.getByRole('button', { name: 'Try now' }).waitFor()
  })

  test('adds a passkey with a code, and logs in with it', async () => {
    await addAuthenticator(page, { isTouched: true })
    await logIn()
    await menu('Your passkeys')
    stage.app.clock.advance(30)
    await page.getByLabel('Name').fill('This laptop')
    await page.getByLabel('Code from your authenticator app').fill(operator.app.code())
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('added on').waitFor()
    await expectGoodPage(page, 'operators-passkeys')
    await menu('Log out')
    await page.getByText('You are logged out.').waitFor()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('button', { name: MENU }).waitFor()
  })

  test('finds nothing that has the focus behind the header, on the narrowest phone', async () => {
    const owner = await anOwner(stage.app)
    for (let number = 0; number < 5; number++) await openSession(stage.app, owner, 'main', client(MAIN))
    await logIn()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.setViewportSize({ width: 320, height: 480 })
    await visit(page, `${OPERATORS}/users/${owner.id}`)
    await page.getByRole('button', { name: 'End all' }).focus()
    const inFocus = () =>
      page.evaluate(`(() => {
        const { activeElement: element } = document
        const { x, y, width } = element.getBoundingClientRect()
        const seen = document.elementFromPoint(x + width / 2, y + 4)
        return { name: element.textContent, isSeen: element.contains(seen) }
      })()`) as Promise<{ name: string; isSeen: boolean }>
    const passed: unknown[] = []
    for (let step = 0; step < 8; step++) {
      await page.keyboard.press('Shift+Tab')
      passed.push(await inFocus())
    }
    const ends = Array(5).fill({ name: 'End', isSeen: true })
    expect(passed).toEqual(expect.arrayContaining([...ends, { name: 'Disable', isSeen: true }]))
    expect(passed).not.toContainEqual(expect.objectContaining({ isSeen: false }))
  })

  test('is asked to log in again when the login has ended', async () => {
    await logIn()
    // Nothing is on its way any more.
    await page.getByRole('heading', { name: 'Last viewed' }).waitFor()
    stage.app.clock.advance(8 * 60 * 60)
    await page.getByRole('link', { name: 'Health' }).click()
    await page.getByText('You are logged out.').waitFor()
  })
})

describe('lists of the console', () => {
  test('a mail that failed is sent again, with a reason', async () => {
    const owner = await anOwner(stage.app)
    stage.app.outbox.accepts = () => false
    await mailResetLink(stage.app, owner)
    await stage.app.get(Mailer).flush()
    stage.app.outbox.accepts = () => true
    await logIn()
    await page.getByRole('link', { name: 'Failed mails' }).click()
    await page.getByRole('link', { name: owner.email }).waitFor()
    await untilShown(page)
    const row = page.getByRole('listitem').filter({ hasText: owner.email })
    await row.getByRole('button', { name: 'Send' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill(REASON)
    await expectGoodPage(page, 'operators-resend')
    await dialog.getByRole('button', { name: 'Send again' }).click()
    await page.getByText(`The mail to ${owner.email} was sent`).waitFor()
    await row.waitFor({ state: 'detached' })
    const [mail] = await stage.app.mailsTo(owner.email)
    expect(mail?.text).toContain('/reset-password#token=')
  })

  test('the list is loaded again after a mail could not be sent', async () => {
    const owner = await anOwner(stage.app)
    stage.app.outbox.accepts = () => false
    await mailResetLink(stage.app, owner)
    await stage.app.get(Mailer).flush()
    await logIn()
    await page.getByRole('link', { name: 'Failed mails' }).click()
    const row = page.getByRole('listitem').filter({ hasText: owner.email })
    const dialog = page.getByRole('dialog')
    const trySending = async () => {
      await row.getByRole('button', { name: 'Send' }).click()
      await dialog.getByLabel('Reason').fill(REASON)
      await dialog.getByRole('button', { name: 'Send again' }).click()
      await dialog.getByRole('alert').waitFor()
      const isLoaded = page.waitForResponse(/\/api\/operator\/mails(\?|$)/)
      await page.keyboard.press('Escape')
      await isLoaded
    }
    await trySending()
    stage.app.outbox.accepts = () => true
    const failedMails = stage.app.get(FailedMails)
    const { rows } = await failedMails.page(1, undefined)
    await failedMails.remove(rows[0]!.id)
    await trySending()
    await row.waitFor({ state: 'detached' })
    await page.locator('h1:focus').waitFor()
  })

  test('satellites are shown part by part, and found by the beginning of their origin', async () => {
    const owner = await anOwner(stage.app)
    for (let number = 100; number < 160; number++)
      await aSatellite(stage.app, owner, `https://part-${number}.example`)
    await logIn()
    await page.getByRole('link', { name: 'Satellites', exact: true }).click()
    const rows = page.getByRole('listitem').filter({ hasText: 'https://part-' })
    await page.getByText('https://part-159.example').waitFor()
    expect(await rows.count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('https://part-100.example').waitFor()
    expect(await rows.count()).toBe(60)
    await page.getByLabel('Origin starts with').fill('part-12')
    await page.getByText('https://part-159.example').waitFor({ state: 'detached' })
    await page.getByText('https://part-120.example').waitFor()
    expect(await rows.count()).toBe(10)
    await expectGoodPage(page, 'operators-satellites-found')
    await page.reload()
    await page.getByText('https://part-120.example').waitFor()
    expect(await rows.count()).toBe(10)
    await page.getByLabel('Origin starts with').fill('nothing')
    await page.getByText('No satellite matches.').waitFor()
  })

  test('what operators did: by whom, what and when, with the way to whom it was done', async () => {
    const owner = await anOwner(stage.app)
    await logIn()
    await search(owner.email)
    await page.getByRole('link', { name: owner.email }).click()
    await change('Disable', 'is disabled')
    await page.getByRole('link', { name: 'Activity' }).click()
    const row = page.getByRole('listitem').filter({ hasText: owner.email })
    await row.getByText(`${operator.email} disabled ${owner.email}`).waitFor()
    await row.getByText(REASON).waitFor()
    expect((await row.textContent())?.split(owner.email)).toHaveLength(2)
    await untilShown(page)
    await expectGoodPage(page, 'operators-deeds')
    await page.getByLabel('What').selectOption('Enable a user')
    await row.waitFor({ state: 'detached' })
    await page.getByLabel('What').selectOption('Disable a user')
    await row.waitFor()
    await page.getByLabel('Who').selectOption('Command line')
    await row.waitFor({ state: 'detached' })
    await page.getByLabel('Who').selectOption(operator.email)
    await row.waitFor()
    await page.getByLabel('To', { exact: true }).fill('2020-01-01')
    await page.getByText('Nothing matches.').waitFor()
    await page.getByLabel('To', { exact: true }).fill('')
    await row.waitFor()
    // As a year is typed.
    await page.clock.install()
    await page.getByLabel('From', { exact: true }).fill('0202-01-01')
    await page.clock.runFor(5_000)
    expect(page.url()).not.toContain('from=')
    await row.getByRole('link', { name: owner.email }).click()
    await page.getByRole('heading', { name: owner.email }).waitFor()
    await page.goBack()
    await row.waitFor()
    await page.getByRole('link', { name: 'Views of people' }).click()
    await page.getByText(`${operator.email} looked at ${owner.email}`).first().waitFor()
  })
})

test('an operator who reads German is told in German what was refused, and can choose English', async () => {
  const owner = await anOwner(stage.app)
  const actor = { userId: owner.id, accountId: owner.accountId, client: client(MAIN) }
  const log = stage.app.get(AuditLog)
  log.enqueue(auditEvent(actor, 'login', { reason: 'wrong password' }), 'failed')
  log.enqueue(auditEvent(actor, 'handoff.code', { reason: 'not_invited' }), 'refused')
  await log.flush()
  await open('de-AT')
  await page.getByRole('heading', { name: 'Betreiberkonsole' }).waitFor()
  await page.getByLabel('E-Mail').fill(operator.email)
  await page.getByLabel('Passwort').fill(operator.password)
  await page.getByLabel('Code Ihrer Authenticator-App').fill(operator.app.code())
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await page.getByRole('heading', { name: 'Übersicht' }).waitFor()
  await visit(page, `${OPERATORS}/users/${owner.id}`)
  await page.getByRole('listitem').filter({ hasText: 'falsches Passwort' }).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'dort nicht eingeladen' }).waitFor()
  await visit(page, `${OPERATORS}/nothing`)
  await page.getByRole('button', { name: 'Kontomenü' }).click()
  await page.getByLabel('Sprache').selectOption('English')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
})

describe('a reason that an operator has typed', () => {
  test('is quoted, though the service records others in the same words', async () => {
    const owner = await anOwner(stage.app)
    await logIn()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await visit(page, `${OPERATORS}/users/${owner.id}`)
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('not me')
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('is disabled').waitFor()
    for (const path of [`/users/${owner.id}`, '/activity?kind=all']) {
      await visit(page, `${OPERATORS}${path}`)
      await page.locator('q', { hasText: 'not me' }).first().waitFor()
    }
  })
})

describe('what other pages can do while an operator is logged in', () => {
  // A browser sends the cookie for the first: it is of the same site.
  test.each([SIBLING, EVIL])('%s can neither read nor change anything', async place => {
    await logIn()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${place}/`)
    const tried = await other.evaluate(`Promise.all([
      fetch('${OPERATORS}/api/operator/me', { credentials: 'include' }),
      fetch('${OPERATORS}/api/operator/me', { credentials: 'include', mode: 'no-cors' }),
      fetch('${OPERATORS}/api/operator/logout', { method: 'POST', credentials: 'include', mode: 'no-cors' }),
    ].map(each => each.then(({ status }) => status, () => 'blocked')))`)
    // 0: there is an answer, which cannot be read.
    expect(tried).toEqual(place === SIBLING ? ['blocked', 0, 0] : ['blocked', 'blocked', 'blocked'])
    await other.close()
    await page.reload()
    await page.getByRole('button', { name: MENU }).waitFor()
    expect(await page.evaluate('document.cookie')).toBe('')
  })
})
