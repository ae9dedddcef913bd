import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { Child } from '../machine/child.mjs'
import { freePort } from '../machine/free-port.mjs'
import { markdownTable } from '../markdown-table.mjs'
import { median } from './rounds.mjs'

const ROUNDS = 9
const BAR_MS = 1_000
/** As browsers' tools name them: bytes a second and milliseconds. */
const PHONE = { cpu: 4, bytesPerSecond: (10 * 1_000_000) / 8, latencyMs: 40 }
/** The least that shows the same form. */
const BARE = `<!doctype html><title>Log in</title><form><label>E-mail <input name="email" type="email"></label>
  <label>Password <input name="password" type="password"></label><button>Log in</button></form>`
/** Milliseconds from the navigation to when the field is there and the browser has drawn it. */
const OBSERVE = `globalThis.usableAt = new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error('No form in 30 s')), 30_000)
  new MutationObserver((_, observer) => {
    if (!document.querySelector('input[name=email]')) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
  }).observe(document, { childList: true, subtree: true })
})`

/** How soon somebody can type on the login page, beside a page that has nothing but the form. Prints a table. */
export async function measureFirstPage() {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-first-page-'))
  const [port, sandbox, mail, satellite] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  const url = `http://localhost:${port}`
  await Child.start({
    name: 'first-page',
    command: process.execPath,
    args: ['dist/joined/development.js'],
    env: {
      NODE_ENV: 'development',
      LOG_LEVEL: 'warn',
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      STRIPE_API_URL: `http://localhost:${sandbox}`,
      SMTP_URL: `smtp://localhost:${mail}`,
      ALLOWED_ORIGINS: `http://127.0.0.1:${satellite}`,
    },
    isReady: async () => (await fetch(`${url}/health/ready`)).ok,
  })
  const bare = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(BARE))
  bare.listen(0, '127.0.0.1')
  await once(bare, 'listening')
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--disable-gpu'] })
  const addresses = { service: `${url}/login`, bare: `http://127.0.0.1:${bare.address().port}/` }
  const rows = []
  let isMissed = false
  for (const [name, throttle] of [
    ['this machine', null],
    ['4 × slower, 10 Mbit/s, 40 ms away', PHONE],
  ]) {
    const times = { service: [], again: [], bare: [] }
    for (let round = 0; round < ROUNDS; round++) {
      const [first, again] = await visits(browser, addresses.service, throttle)
      times.service.push(first)
      times.again.push(again)
      times.bare.push((await visits(browser, addresses.bare, throttle))[0])
    }
    const [service, again, least] = [times.service, times.again, times.bare].map(median)
    isMissed ||= service > BAR_MS
    rows.push([
      name,
      ms(service),
      ms(again),
      ms(least),
      ms(BAR_MS),
      service <= BAR_MS ? 'holds' : '**missed**',
    ])
  }
  await browser.close()
  bare.close()
  rmSync(folder, { recursive: true, force: true })
  const head = ['where', 'login page, first visit', 'second visit', 'the bare form', 'bar', '']
  console.log(markdownTable(head, rows))
  process.exitCode = isMissed ? 1 : 0
}

/** Milliseconds of the first visit of a browser that knows nothing, and of its second. */
async function visits(browser, url, throttle) {
  const person = await browser.newContext()
  const page = await person.newPage()
  await page.addInitScript(OBSERVE)
  if (throttle) await slowDown(page, throttle)
  const times = []
  for (let visit = 0; visit < 2; visit++) {
    await page.goto(url)
    // Asked once: each question takes the page's own time, four times over.
    times.push(await page.evaluate('usableAt'))
  }
  await person.close()
  return times
}

async function slowDown(page, { cpu, bytesPerSecond, latencyMs }) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: cpu })
  await cdp.send('Network.enable')
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
}

function ms(milliseconds) {
  return `${Math.round(milliseconds).toLocaleString('en')} ms`
}
