import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page, Request } from 'playwright-core'
import { Clock } from '../sources.js'
import { Authenticator } from '../support/authenticator.js'
import { eventually } from '../support/eventually.js'
import { request } from '../support/http-request.js'
import { freePort } from '../support/processes/free-port.js'
import { Laptop } from '../support/processes/laptop.js'
import { run } from '../support/processes/run-program.js'
import { sharedChromium } from './stage/chromium.js'
import { logInAsOperator, type Operator } from './stage/operator-login.js'
import { logInOn, untilLoggedIn, untilShown } from './stage/site-page.js'

/**
 * The pictures of the documentation, taken of what `npm start` shows. A picture is out of date when a page reads otherwise
 * or the styles have changed; pixels are not compared, because other machines have other fonts.
 */
const FOLDER = join(__dirname, '../../docs/pictures')
const CONTENTS = join(FOLDER, 'contents.json')
/** Takes all of them anew: `RENEW_PICTURES=1 npm run test:quick -- test/browser/pictures`. */
const IS_RENEWING = process.env.RENEW_PICTURES === '1'
const PATIENCE_MS = 120_000
/** Also taken in the dark, as `<name>-dark`: README and the start page have one for each theme. */
const IN_BOTH_THEMES = ['overview', 'handoff']
/** Of `npm start`. */
const OWNER = 'owner@example.com'
const PASSWORD = 'correct horse battery staple'

interface Contents {
  readonly styles: string
  /** The lines of the accessibility tree, numbers and dates left out, by the name of the picture. */
  readonly pictures: Readonly<Record<string, readonly string[]>>
}

/** Who works in the operator console. */
const SERVICE = 'operator@example.com'

let laptop: Laptop
let satellite: string
let operatorOrigin: string
/** What `operator:add` has printed. */
let operator: Operator
let folder: string
let page: Page
let kept: Contents
const seen: Record<string, readonly string[]> = {}
/** What the page has asked for and not yet got. */
const onTheirWay = new Set<Request>()
beforeAll(async () => {
  const [port, satellitePort] = await Promise.all([freePort(), freePort()])
  satellite = `http://127.0.0.1:${satellitePort}`
  operatorOrigin = `http://operator.localhost:${port}`
  folder = await mkdtemp(join(tmpdir(), 'mainstay-pictures-'))
  const settings = { DATA_DIR: join(folder, 'data'), OPERATOR_ORIGIN: operatorOrigin }
  operator = await addOperator(settings)
  const places = { PORT: String(port), ALLOWED_ORIGINS: satellite }
  laptop = await Laptop.start('dist/joined/development.js', [], { ...settings, ...places })
  page = await (
    await (
      await sharedChromium()
    ).newContext({
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      colorScheme: 'light',
      reducedMotion: 'reduce',
      viewport: { width: 1120, height: 720 },
    })
  ).newPage()
  page.on('request', request => onTheirWay.add(request))
  page.on('requestfinished', request => onTheirWay.delete(request))
  page.on('requestfailed', request => onTheirWay.delete(request))
  if (!IS_RENEWING) kept = JSON.parse(await readFile(CONTENTS, 'utf8'))
}, PATIENCE_MS)
afterAll(async () => {
  await page?.context().close()
  await laptop?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function addOperator(settings: Record<string, string>) {
  const environment = { ...settings, NODE_ENV: 'development', PATH: process.env.PATH ?? '' }
  const { output, errors } = await run(
    'dist/joined/cli.js',
    ['operator:add', SERVICE],
    environment,
    PATIENCE_MS,
  )
  const [, password] = /^Password: (\S+)$/m.exec(output) ?? []
  const [, secret] = /[?&]secret=([A-Z2-7]+)/.exec(output) ?? []
  if (!password || !secret) throw new Error(`no operator was added: ${output}${errors}`)
  return { email: SERVICE, password, app: new Authenticator({ clock: new Clock() }, secret) }
}

test(
  'the pictures of the documentation show the pages as they are',
  async () => {
    await visit(`${laptop.url}/login`)
    await take('login')
    await logInOn(page, { email: OWNER }, PASSWORD)
    await take('overview')
    await goTo('/account/satellites')
    await take('satellites')
    await goTo('/account/billing')
    await page.getByRole('button', { name: 'Subscribe to Monthly' }).waitFor()
    await take('billing')
    await visit(`${satellite}/`)
    await take('satellite-login')
    await page.getByRole('button', { name: 'Log in with Mainstay' }).click()
    const goOn = page.getByRole('button', { name: /^Continue to / })
    // For a moment it takes no click, so that nobody is made to click it unseen.
    await page.getByRole('button', { name: /^Continue to /, disabled: false }).waitFor()
    await take('handoff')
    await goOn.click()
    await page.waitForURL(`${satellite}/**`)
    await untilLoggedIn(page)
    await visit(`${laptop.url}/account/sessions`)
    await take('sessions')

    await visit(`${operatorOrigin}/`)
    await logInAsOperator(page, operator)
    await page.getByLabel('Account or user').fill(OWNER)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: OWNER }).click()
    await page.getByRole('heading', { name: OWNER }).waitFor()
    await untilShown(page)
    await take('operator-console')

    const styles = await styleHash()
    if (IS_RENEWING) await writeFile(CONTENTS, `${JSON.stringify({ styles, pictures: seen }, null, 2)}\n`)
    else expect({ styles, pictures: seen }).toEqual(kept)
  },
  PATIENCE_MS,
)

async function visit(url: string): Promise<void> {
  await page.goto(url)
  await untilShown(page)
}

async function goTo(path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`)
  await untilShown(page)
}

async function take(name: string): Promise<void> {
  await eventually(() => onTheirWay.size === 0, { what: `what ${name} has asked for`, timeoutMs: 30_000 })
  await untilShown(page)
  await showUsualPorts()
  if (IS_RENEWING) {
    seen[name] = await contents()
    await photograph(name)
    if (!IN_BOTH_THEMES.includes(name)) return
    await page.emulateMedia({ colorScheme: 'dark' })
    await photograph(`${name}-dark`)
    await page.emulateMedia({ colorScheme: 'light' })
    return
  }
  // A slow machine may still be drawing. What differs is told at the end, of all pictures together.
  await eventually(
    async () => {
      seen[name] = await contents()
      return isDeepStrictEqual(seen[name], kept.pictures[name])
    },
    { everyMs: 100, timeoutMs: 5_000 },
  ).catch(() => undefined)
}

async function photograph(name: string): Promise<void> {
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled', caret: 'hide' })
}

async function contents(): Promise<string[]> {
  const tree = await page.locator('body').ariaSnapshot()
  return tree.split('\n').filter(isVisible).map(withoutNumbers)
}

/** The ports of `npm start` in the place of those that were free. */
async function showUsualPorts(): Promise<void> {
  const ports = JSON.stringify({ [new URL(laptop.url).port]: '3000', [new URL(satellite).port]: '3001' })
  await page.evaluate(`
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode())
      for (const [port, usual] of Object.entries(${ports}))
        if (walker.currentNode.nodeValue.includes(':' + port))
          walker.currentNode.nodeValue = walker.currentNode.nodeValue.replaceAll(':' + port, ':' + usual)`)
}

/** Where a link leads cannot be seen. */
function isVisible(line: string): boolean {
  return !line.includes('- /url:')
}

const MONTH =
  /\b(Jan(uary)?|Feb(ruary)?|Mar(ch)?|Apr(il)?|May|June?|July?|Aug(ust)?|Sept?(ember)?|Oct(ober)?|Nov(ember)?|Dec(ember)?)\b/g

/** Without what differs from run to run: ids, numbers, dates, and how long ago. */
function withoutNumbers(line: string): string {
  return line
    .replace(MONTH, 'month')
    .replace(/just now|\d+ minutes? ago/g, 'lately')
    .replace(/[\w-]{43}/g, 'handle')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
    .replace(/\d+/g, '0')
}

/** Of the style sheet as the main site loads it. */
async function styleHash(): Promise<string> {
  const { text: index } = await request(laptop.url, { path: '/login', headers: { Accept: 'text/html' } })
  const path = /href="(\/assets\/[^"]+\.css)"/.exec(index)?.[1] as string
  const { text } = await request(laptop.url, { path })
  return createHash('sha256').update(text).digest('hex')
}
