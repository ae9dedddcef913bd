// node test/browser/webkit.mjs: every page of a running `HTTPS=on npm start` in WebKit, Safari's engine, which no test
// drives. Needs WebKitWebDriver (Debian: webkit2gtk-driver) and a display (xvfb-run). Ends with 1 if a page shows raw
// tags or places for values, has an error after it has loaded, or does not get where it should.
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const { MAIN = 'https://localhost:3000', SATELLITE = 'https://127.0.0.1:3001' } = process.env
const DRIVER = 'http://127.0.0.1:4567'
const PASSWORD = 'correct horse battery staple'
const ACCOUNT = ['', '/team', '/billing', '/satellites', '/audit', '/settings', '/profile', '/security']
const PAGES = [...[...ACCOUNT, '/sessions', '/logins'].map(path => `/account${path}`), '/subscribe']

const faults = []
const driver = spawn('WebKitWebDriver', ['--port=4567', '--host=127.0.0.1'], { stdio: 'ignore' })
/** The driver shows no console: what goes wrong after a page has loaded is collected in the page. */
const LISTEN = `if (!window.seen) {
  window.seen = []
  const note = text => window.seen.push(text)
  addEventListener('error', event => note(event.message))
  addEventListener('unhandledrejection', event => note(String(event.reason)))
  addEventListener('securitypolicyviolation', event => note(event.violatedDirective + ' ' + event.blockedURI))
  console.error = (...parts) => note(parts.join(' '))
}`

let session = ''
async function command(method, path, body) {
  const init = { method, ...(body && { body: JSON.stringify(body) }) }
  const { value } = await (await fetch(`${DRIVER}/session${session}${path}`, init)).json()
  if (value?.error) throw new Error(`${path}: ${value.error}: ${value.message}`)
  return value
}
const run = (script, ...args) => command('POST', '/execute/sync', { script, args })
async function open(url) {
  await command('POST', '/url', { url })
  await run(LISTEN)
}
/** By a link of the page if it has one, which keeps the page and what it has collected. */
async function follow(path) {
  const link = `document.querySelector('a[href="${path}"]')`
  if (await run(`const link = ${link}; link?.click(); return !link`)) await open(MAIN + path)
}

async function until(what, probe) {
  for (let time = 0; time < 100; time++) {
    if (await probe().catch(() => false)) return
    await sleep(100)
  }
  throw new Error(`${what} did not come; at ${await run('return location.href')}:\n${await text()}`)
}
const text = () => run('return document.body.innerText')
const isAt = start => async () => (await run('return location.href')).startsWith(start)

/** When nothing on the page has changed for half a second. */
async function settled(name) {
  let before = ''
  await until(`${name} at rest`, async () => {
    await sleep(500)
    const now = await text()
    const isDone = now.length > 0 && now === before
    before = now
    return isDone
  })
  const shown = await run(
    "return [document.body.innerText, ...[...document.querySelectorAll('*')].flatMap(e => ['aria-label', 'placeholder', 'title'].map(a => e.getAttribute(a) ?? ''))].join('\\n')",
  )
  const raw = /.*(<\/?[a-z]+>|\{\w+[},]).*/.exec(shown)?.[0]
  if (raw) faults.push(`${name} shows ${raw}`)
  for (const error of await run('return (window.seen ?? []).splice(0)')) faults.push(`${name}: ${error}`)
  console.log(`${name}: ${before.replace(/\s+/g, ' ').slice(0, 100)}`)
}

async function logIn(email) {
  await until('the login form', () => run("return !!document.querySelector('[type=password]')"))
  for (const [selector, value] of [
    ['[type=email]', email],
    ['[type=password]', PASSWORD],
  ]) {
    const [found] = Object.values(
      await command('POST', '/element', { using: 'css selector', value: selector }),
    )
    await command('POST', `/element/${found}/clear`, {})
    await command('POST', `/element/${found}/value`, { text: value })
  }
  await run("document.querySelector('[type=password]').closest('form').requestSubmit()")
}

try {
  await until('WebKitWebDriver', async () => (await fetch(`${DRIVER}/status`)).ok)
  const asked = {
    acceptInsecureCerts: true,
    'webkitgtk:browserOptions': { binary: process.env.MINI_BROWSER, args: ['--automation'] },
  }
  session = `/${(await command('POST', '', { capabilities: { alwaysMatch: asked } })).sessionId}`
  for (const path of ['/login', '/signup', '/forgot-password', '/nothing']) {
    await open(MAIN + path)
    await settled(path)
  }
  await open(`${MAIN}/login`)
  await logIn('owner@example.com')
  await until('the account', isAt(`${MAIN}/account`))
  for (const path of PAGES) {
    await follow(path)
    await settled(path)
    if (!(await isAt(MAIN + path)())) faults.push(`${path} led to ${await run('return location.href')}`)
  }
  await open(SATELLITE)
  await settled('the satellite')
  await run(
    "[...document.querySelectorAll('button, a')].find(e => /^Log in with \\S+$/.test(e.innerText)).click()",
  )
  await until('the hand-off', isAt(`${MAIN}/handoff`))
  await settled('/handoff')
  await run("[...document.querySelectorAll('button')].find(e => /^Continue/.test(e.innerText))?.click()")
  await until('the way back', isAt(SATELLITE))
  await until('the satellite’s own pages', async () =>
    /Log out/.test(await run('return document.body.textContent')),
  )
  for (const path of ['/', '/data', '/reports', '/security']) {
    await open(SATELLITE + path)
    await settled(`satellite ${path}`)
  }
} catch (error) {
  faults.push(error.message)
} finally {
  if (session) await command('DELETE', '').catch(() => {})
  driver.kill()
}
for (const fault of faults) console.error(`FAULT ${fault}`)
process.exit(faults.length === 0 ? 0 : 1)
