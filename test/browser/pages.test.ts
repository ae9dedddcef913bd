// Every page in every state that somebody meets without doing much, and what all of them have in common. It is long
// because of its table.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eq } from 'drizzle-orm'
import type { CDPSession, Page } from 'playwright-core'
import {
  AuditLog,
  auditEvent,
  type Email,
  ERROR_CODES,
  FIELD_FAULTS,
  Mailer,
  PAGE_PATHS,
  type User,
  users,
} from '../sources.js'
import { giveAuthenticator } from '../support/authenticator.js'
import { openSession } from '../support/open-session.js'
import { aMember, anOwner, PASSWORD } from '../support/people.js'
import { mailResetLink } from '../support/reset-link.js'
import { aSatellite } from '../support/satellites.js'
import { findings } from './stage/accessibility.js'
import { startBuiltPages } from './stage/built-pages.js'
import { ALLOWED, isPreflight, YES } from './stage/false-answers.js'
import { API, CUSTOMER, MAIN, OPERATORS, SHOP_ONE } from './stage/hosts.js'
import { anOperator, CONSOLE } from './stage/operator-login.js'
import { bearWithLinks } from './stage/previewed-link.js'
import { keepScreenshot } from './stage/screenshot.js'
import { untilAnswered, untilIdle, untilShown, visit } from './stage/site-page.js'
import { aStage } from './stage/stage.js'
import { subscribed } from './stage/subscribed.js'

interface State {
  /** Under the origin; `:name` stands for an id that the test has. */
  readonly path: string
  /** How it is reached from there, in any language. */
  readonly next?: readonly [what: string, act: (page: Page) => Promise<unknown>]
  /** Whether only its words and the narrowest screen matter: the rest is as before. */
  readonly isBrief?: true
}

interface Visit {
  readonly who: string
  readonly origin: string
  /** Before the first page. */
  readonly enter?: (page: Page) => Promise<unknown>
  readonly states: readonly (string | State)[]
}

interface Screen {
  readonly width: number
  readonly height: number
  readonly colorScheme: 'light' | 'dark'
  /** Whether accessibility is checked there, which takes longest. */
  readonly isThorough?: true
  readonly hasTouch?: true
}

/** The narrowest that WCAG 2.2 (1.4.10) wants a page to fit on. */
const BRIEF: Screen = { width: 320, height: 740, colorScheme: 'dark' }
const SCREENS: readonly Screen[] = [
  { width: 1280, height: 800, colorScheme: 'light', isThorough: true },
  { width: 1920, height: 1080, colorScheme: 'light' },
  { width: 768, height: 1024, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'light', hasTouch: true },
  { ...BRIEF, isThorough: true },
]

/** Too long for a line of a phone, one of them at hyphens. */
const LONG_EMAIL = 'maximiliane.oppenheimer@accounting.headquarters.company.example.com'
const HYPHENS_EMAIL = 'anna-oppenheimer@accounting-north.company-south.example.com'
const TOKEN = 'a'.repeat(43)
/** As wide as a window is at most where the styles are those for phones. */
const PHONE_PX = 480
/** Until the page knows that it is touched. */
const PATIENCE_MS = 30_000
/** What a finger hits (WCAG 2.2, 2.5.5); those among other words may be smaller. */
const FINGER_PX = 44
/** How much may move while a page loads: half of what Google's Core Web Vitals call good. */
const MAX_SHIFT = 0.05
/** A line that nobody wants to read. */
const LONG_LINE_PX = 1_000
/** What stands in one line however narrow the page is: parts of addresses, and “e-mail” with what hangs on it. */
const WHOLE = new RegExp(
  [...LONG_EMAIL.split(/[@.]/), ...HYPHENS_EMAIL.split(/[@.]/), '\\bE-Mail(-Adresse|s)?\\b']
    .filter(part => part.length > 7)
    .join('|'),
  'gi',
)
/** What the service answers when it cannot send mails. */
const NO_MAIL = {
  status: 503,
  headers: ALLOWED,
  contentType: 'application/problem+json',
  body: JSON.stringify({ status: 503, code: 'MAIL_UNAVAILABLE', detail: 'No mail.' }),
}

interface WithEmail {
  readonly email: string
}

const fill = (page: Page, name: string, text: string) => page.locator(`input[name=${name}]`).fill(text)
const send = (page: Page) => page.locator('main form button[type=submit]').last().click()

async function logIn(page: Page, { email }: WithEmail, password = PASSWORD): Promise<void> {
  await fill(page, 'email', email)
  await fill(page, 'password', password)
  await send(page)
}

async function enterAs(page: Page, user: WithEmail): Promise<void> {
  await logIn(page, user)
  await page.locator('.person-button').waitFor()
}

/** Those that a mail leads to, and the others that ask nobody who they are: as they open, and once sent. */
const PUBLIC_PATHS = PAGE_PATHS.main.filter(path => path !== '/' && !path.startsWith('/account'))
const sent = (path: string): State => ({
  path,
  isBrief: true,
  next: [
    'sent as it is',
    async page => {
      const button = page.locator('main form button[type=submit]').last()
      if (await button.isVisible()) await button.click()
      await untilAnswered(page)
    },
  ],
})

const VISITS: readonly Visit[] = [
  {
    who: 'anybody',
    origin: MAIN,
    states: [
      ...PUBLIC_PATHS.flatMap(path => [`${path}#token=${TOKEN}`, sent(`${path}#token=${TOKEN}`)]),
      {
        path: '/login',
        next: ['with a wrong password', page => logIn(page, owner, 'not the password')],
      },
      {
        path: '/signup',
        next: [
          'with faults in its fields',
          async page => {
            await logIn(page, { email: 'rosa' }, 'short')
            await page.locator('.fault').nth(1).waitFor()
          },
        ],
      },
      {
        path: '/signup',
        next: [
          'with a password that the service refuses',
          async page => {
            const email = 'anna.schmidt@versicherung-nord.de'
            await fill(page, 'password', email)
            await page.locator('.strength.good').waitFor()
            // The page does not call a password good that the service refuses, also when it learns afterwards whose it is.
            await fill(page, 'email', email)
            await page.locator('.strength.weak').waitFor()
            await send(page)
            await page.locator('.fault').waitFor()
          },
        ],
      },
      {
        path: '/forgot-password',
        next: [
          'sent to a long address',
          async page => {
            await fill(page, 'email', HYPHENS_EMAIL)
            await send(page)
            await page.locator('.notice.good').waitFor()
          },
        ],
      },
      {
        path: '/forgot-password',
        next: [
          'while the service sends no mails',
          async page => {
            const refuse = (route: Parameters<typeof isPreflight>[0]) =>
              isPreflight(route) ? route.fulfill(YES) : route.fulfill(NO_MAIL)
            await page.route(`${API}/api/password/forgot`, refuse)
            await fill(page, 'email', HYPHENS_EMAIL)
            await send(page)
            await page.locator('.notice.bad').waitFor()
            await page.unroute(`${API}/api/password/forgot`)
          },
        ],
      },
    ],
  },
  {
    who: 'an owner who is new',
    origin: MAIN,
    enter: page => enterAs(page, newOwner),
    states: [
      ...['/account', '/account/team', '/account/billing', '/account/satellites', '/account/security'],
      '/subscribe',
    ],
  },
  {
    who: 'an owner with a team, a plan and a satellite',
    origin: MAIN,
    enter: page => enterAs(page, owner),
    states: [
      ...['', '/team', '/team/:member', '/billing', '/satellites', '/satellites/:satellite'].map(
        path => `/account${path}`,
      ),
      '/account/team?list=invitations',
      ...['/audit', '/settings', '/profile', '/security', '/sessions', '/logins', '/nowhere'].map(
        path => `/account${path}`,
      ),
      '/subscribe',
      {
        path: '/account/satellites',
        next: [
          'with an address that nobody has for themselves',
          async page => {
            await fill(page, 'origin', 'https://github.io')
            await fill(page, 'name', 'Laden')
            await page.locator('form:has(input[name=origin]) button[type=submit]').click()
            await page.locator('dialog[open], .fault').first().waitFor()
            const password = page.locator('dialog[open] input[type=password]')
            if (await password.isVisible()) {
              await password.fill(PASSWORD)
              await page.locator('dialog[open] button[type=submit]').click()
            }
            await page.locator('.fault').waitFor()
          },
        ],
      },
    ],
  },
  {
    who: 'a member without permissions',
    origin: MAIN,
    enter: page => enterAs(page, member),
    states: ['/account', '/account/team'],
  },
  { who: 'anybody', origin: SHOP_ONE, states: ['/', '/handoff-callback'] },
  {
    who: 'an owner',
    origin: SHOP_ONE,
    enter: page => enterAs(page, owner),
    states: ['/', '/data', '/reports', '/security', '/nowhere'],
  },
  { who: 'anybody', origin: CUSTOMER, states: ['/'] },
  { who: 'anybody', origin: OPERATORS, states: ['/'] },
  {
    who: 'an operator',
    origin: OPERATORS,
    enter: async page => {
      const operator = await anOperator(stage.app)
      await fill(page, 'code', operator.app.code())
      await logIn(page, operator, operator.password)
      await page.locator('.person-button').waitFor()
    },
    states: [
      ...['/', '/?q=:email', '/satellites', '/payments', '/mails', '/activity?kind=all', '/health'],
      ...['/passkeys', '/users/:owner', '/users/:colleague', '/accounts/:account', '/nowhere'],
    ],
  },
]

const stage = aStage(startBuiltPages, {
  ...CONSOLE,
  SITE_NAME: 'Acme',
})
let newOwner: User
let owner: User
let member: User
/** Who has a second factor. */
let colleague: User
/** What `:name` stands for in a path. */
let ids: Readonly<Record<string, string>>
beforeAll(async () => {
  const { app } = stage
  newOwner = await anOwner(app)
  owner = await withEmail(await anOwner(app), LONG_EMAIL)
  member = await withEmail(await aMember(app, owner), HYPHENS_EMAIL)
  colleague = await aMember(app, owner)
  await giveAuthenticator(app, colleague)
  await subscribed(app, owner)
  const satellite = await aSatellite(app, owner, 'https://roses.test')
  await recordRefusals()
  ids = {
    ...{ owner: owner.id, member: member.id, colleague: colleague.id, satellite: satellite.id },
    ...{ account: owner.accountId, email: owner.email },
  }
})

async function withEmail(user: User, email: string): Promise<User> {
  const database = stage.app.database
  await database.run(db => db.update(users).set({ email }).where(eq(users.id, user.id)))
  return { ...user, email: email as Email }
}

/** For the lists of the operators. */
async function recordRefusals(): Promise<void> {
  const client = { requestId: 'a', ip: '203.0.113.7', userAgent: 'curl/8', origin: MAIN }
  const actor = { userId: owner.id, accountId: owner.accountId, client }
  await openSession(stage.app, owner, 'main', client)
  const log = stage.app.get(AuditLog)
  log.enqueue(auditEvent(actor, 'login', { reason: 'wrong password' }), 'failed')
  log.enqueue(auditEvent(actor, 'handoff.code', { reason: 'not_invited' }), 'refused')
  await log.flush()
  const { outbox } = stage.app
  outbox.accepts = () => false
  await mailResetLink(stage.app, newOwner)
  await stage.app.get(Mailer).flush()
  outbox.accepts = () => true
}

describe.each(VISITS)('$origin for $who', ({ who, origin, enter, states }) => {
  /** The same person in two browsers. */
  let german: Visitor
  let english: Visitor
  beforeAll(async () => {
    german = await Visitor.in('de-AT', origin, enter)
    english = await Visitor.in('en-GB', origin, enter)
  })
  afterAll(async () => {
    await german?.leave()
    await english?.leave()
  })

  const table = states.map(state => (typeof state === 'string' ? { path: state } : state))
  test.each(table.map(state => [nameOf(state), state] as const))(
    `${new URL(origin).host}%s can be read and used on every screen by ${who}`,
    async (name, state) => {
      const picture = `${new URL(origin).host}${name}-${who}`.replace(/[^\w.]+/g, '-')
      const faults = await german.open(state, { width: 1280, height: 800 })
      const screens = state.isBrief ? [BRIEF] : SCREENS
      faults.push(...(await german.foreignWords()), ...(await german.faultsOn(screens, picture)))
      faults.push(...(await english.open(state, { width: 375, height: 740 })))
      faults.push(...(await english.faultsOn([BRIEF], `${picture}-en`)))
      expect(faults).toEqual([])
    },
  )
})

function nameOf({ path, next }: State): string {
  const shown = path.replace(/#.*/, '')
  return next ? `${shown} ${next[0]}` : shown
}

/** Somebody with a browser in one language, who goes from state to state of a site. */
class Visitor {
  private constructor(
    private readonly page: Page,
    private readonly device: CDPSession,
    private readonly origin: string,
  ) {}

  static async in(locale: string, origin: string, enter?: Visit['enter']): Promise<Visitor> {
    const page = await stage.newTab({ locale, reducedMotion: 'reduce' })
    await page.addInitScript(`
      globalThis.shift = 0
      new PerformanceObserver(list => list.getEntries().forEach(({ value }) => (shift += value)))
        .observe({ type: 'layout-shift', buffered: true })`)
    await bearWithLinks(page, { accountName: 'Rosen & Söhne', invitedBy: LONG_EMAIL, satellites: [SHOP_ONE] })
    if (enter) {
      await visit(page, `${origin}/`)
      await enter(page)
    }
    return new Visitor(page, await page.context().newCDPSession(page), origin)
  }

  leave(): Promise<void> {
    return this.page.context().close()
  }

  /** As from a link elsewhere, in a window of this size; returns what moved while it loaded. */
  async open({ path, next }: State, size: { width: number; height: number }): Promise<string[]> {
    await this.page.setViewportSize(size)
    // Another part after the # alone would not load it again.
    await this.page.goto('about:blank')
    await visit(this.page, this.origin + withIds(path))
    await untilIdle(this.page)
    const shift = (await this.page.evaluate('shift')) as number
    await next?.[1](this.page)
    await untilShown(this.page)
    return shift > MAX_SHIFT ? [`${size.width} px: it moves by ${shift} while it loads`] : []
  }

  /** What is wrong on these screens, and what the browser has complained about until now. */
  async faultsOn(screens: readonly Screen[], picture: string): Promise<string[]> {
    const faults: string[] = []
    for (const screen of screens) {
      const { width, height, colorScheme } = screen
      await this.page.emulateMedia({ colorScheme })
      await this.page.setViewportSize({ width, height })
      const touch = { enabled: screen.hasTouch === true, maxTouchPoints: 1 }
      if (screen.hasTouch) await this.device.send('Emulation.setTouchEmulationEnabled', touch)
      await keepScreenshot(this.page, `${picture}-${width}-${colorScheme}`)
      // Operators sit at desks: their lists may tear an address.
      const isForPhones = width < PHONE_PX && this.origin !== OPERATORS
      const asked = JSON.stringify({ ...screen, isForPhones })
      const found = (await this.page.evaluate(`(${LAYOUT})(${asked})`)) as string[]
      if (screen.isThorough) found.push(...(await findings(this.page)))
      if (screen.hasTouch) await this.device.send('Emulation.setTouchEmulationEnabled', { enabled: false })
      faults.push(...found.map(fault => `${width} px, ${colorScheme}: ${fault}`))
    }
    return [...faults, ...(await this.deadLinks()), ...stage.complaints.splice(0)]
  }

  /** Words that are not German, and a page that does not say that it is. */
  async foreignWords(): Promise<string[]> {
    const { language, texts, lines } = (await this.page.evaluate(TEXTS)) as Record<string, string[]>
    if (texts!.length < 5) throw new Error('There is nothing on this page')
    const words = /\b(the|you|your|and|with|this|from|please)\b/i
    return [
      ...(String(language) === 'de' ? [] : [`It says that it is in ${language}.`]),
      ...englishAmong(texts!)
        .filter(text => this.origin !== OPERATORS || !SHOWN_TO_OPERATORS.includes(text))
        .map(text => `In English: ${text}`),
      ...lines!.filter(line => words.test(line) && line !== 'English').map(line => `In English: ${line}`),
    ]
  }

  /** Links to what is none of the pages. */
  private async deadLinks(): Promise<string[]> {
    const links = (await this.page.evaluate('[...document.links].map(({ href }) => href)')) as string[]
    return links
      .filter(link => {
        const { origin, pathname } = new URL(link)
        return (
          pathname !== new URL(this.page.url()).pathname && pathsOf(origin)?.has(anyId(pathname)) === false
        )
      })
      .map(link => `It leads to ${link}, which is no page.`)
  }
}

function withIds(path: string): string {
  return path.replace(/:(\w+)/g, (_, name: string) => ids[name]!)
}

function anyId(path: string): string {
  return path.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|:\w+/g, ':id')
}

/** The pages of a site of ours, with `:id` for ids; undefined for anybody else's. */
function pathsOf(origin: string): ReadonlySet<string> | undefined {
  const visits = VISITS.filter(visit => visit.origin === origin)
  if (visits.length === 0) return undefined
  const states = visits.flatMap(visit =>
    visit.states.map(state => (typeof state === 'string' ? state : state.path)),
  )
  return new Set(['/', ...states.map(path => anyId(path.replace(/[?#].*/, '')))])
}

type Messages = Readonly<Record<string, string | null>>

function messagesIn(language: string): Messages {
  const files = ['web/messages/', 'web/messages/operator/'].map(folder => `${folder}${language}.json`)
  return Object.assign({}, ...files.map(file => JSON.parse(readFileSync(file, 'utf8'))))
}

/** What the service says in English too. */
const titles = Object.fromEntries(Object.entries(ERROR_CODES).map(([code, { title }]) => [code, title]))
const english: Messages = { ...messagesIn('en'), ...FIELD_FAULTS, ...titles }
const germanMessages = messagesIn('de')
const translated = new Set(Object.values(germanMessages))
/** English messages that German says in other words, as far as they are long enough to be recognized. */
const foreign = Object.entries(english)
  .filter(([key, text]) => text !== null && germanMessages[key] !== text && !translated.has(text))
  .flatMap(([, text]) => fixedPartsOf(text as string))

/** Operators see mails as they were sent, and how the payment provider calls the state of a subscription. */
const SHOWN_TO_OPERATORS = ['Choose a new password', 'Active']

function englishAmong(texts: readonly string[]): string[] {
  return foreign.filter(part =>
    texts.some(text => (part.includes(' ') ? text.includes(part) : text === part)),
  )
}

/** What stands between its values and tags. */
function fixedPartsOf(text: string): string[] {
  if (/\{\w+, /.test(text)) return []
  return text
    .split(/\{\w+\}|<\/?\w+>/)
    .map(part => part.trim())
    .filter(part => part === text || part.split(' ').length > 2)
}

/** What people see or hear of a page: its texts, and what elements are called. The choice of language has its own words. */
const TEXTS = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const texts = [document.title]
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement.closest('script, noscript, option[lang]')) texts.push(node.data)
  for (const element of document.querySelectorAll('[aria-label], [placeholder], [title], [data-name]'))
    for (const name of ['aria-label', 'placeholder', 'title', 'data-name']) texts.push(element.getAttribute(name))
  return {
    language: document.documentElement.lang,
    texts: texts.filter(text => text?.trim()).map(text => text.trim()),
    lines: document.body.innerText.split('\\n'),
  }
})()`

/** Runs in the page. */
const LAYOUT = `async ({ hasTouch, isForPhones }) => {
  const faults = []
  const over = document.documentElement.scrollWidth - innerWidth
  if (over > 0) faults.push('it is ' + over + ' px too wide')
  for (const each of document.querySelectorAll('main p'))
    if (each.getBoundingClientRect().width >= ${LONG_LINE_PX}) faults.push('a line is too long: ' + each.innerText)
  if (isForPhones) {
    faults.push(...torn('h1, h2, label, legend, button', /[^\\s@.]+(?![^\\s]*[@.]\\S)/g, text => !text.parentElement.closest('.address')))
    const root = document.documentElement
    for (let narrow = ${PHONE_PX}; narrow >= 280; narrow -= 4) {
      root.style.width = narrow + 'px'
      faults.push(...torn('main', ${WHOLE}, () => true).map(word => word + ' at ' + narrow + ' px'))
    }
    root.style.width = ''
  }
  if (hasTouch) {
    const touch = matchMedia('(pointer: coarse)')
    if (!touch.matches)
      await new Promise(resolve => {
        touch.addEventListener('change', resolve, { once: true })
        setTimeout(resolve, ${PATIENCE_MS})
      })
    if (!touch.matches) faults.push('it does not know that there is a finger')
    const fields = 'button, .button, input:not([type=checkbox], [type=radio], [type=hidden]), select, summary, .choice, .nav a'
    for (const each of document.querySelectorAll(fields)) {
      if (!each.checkVisibility({ visibilityProperty: true }) || each.closest('.unseen, .links, p')) continue
      const { width, height } = each.getBoundingClientRect()
      const name = each.ariaLabel ?? (each.innerText || each.name)
      if (width > 0 && Math.min(width, height) < ${FINGER_PX}) faults.push(name + ' is small: ' + width + ' x ' + height)
    }
  }
  return faults

  /** Words in there that continue on the next line. */
  function torn(selector, words, isMeant) {
    const range = document.createRange()
    const found = []
    for (const element of document.querySelectorAll(selector)) {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      while (walker.nextNode()) {
        const { currentNode: text } = walker
        if (!isMeant(text)) continue
        for (const { 0: word, index } of text.data.matchAll(words)) {
          range.setStart(text, index)
          range.setEnd(text, index + word.length)
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.push('torn: ' + word)
        }
      }
    }
    return found
  }
}`
