// The engines of Firefox and Safari, on what `npm start` serves. Chromium has all other tests: these look for what another
// engine does not know or does otherwise.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '../support/eventually.js'
import { freePort } from '../support/processes/free-port.js'
import { Laptop } from '../support/processes/laptop.js'

const PATIENCE_MS = 180_000
const OWNER = { email: 'owner@example.com', password: 'correct horse battery staple' }
const ACCOUNT_PAGES = [
  ...['', '/team', '/billing', '/satellites', '/audit', '/settings', '/profile', '/security', '/sessions'],
  '/logins',
].map(path => `/account${path}`)

interface Engine {
  open(url: string): Promise<void>
  /** What the body of a function returns in the page. */
  run<T>(body: string): Promise<T>
  stop(): Promise<void>
}

/** What goes wrong in the page is collected there: WebKit's driver shows no console, and only of what happens once a page has loaded. */
const LISTEN = `if (!window.seen) {
  window.seen = []
  const note = text => window.seen.push(text)
  addEventListener('error', event => note(event.message))
  addEventListener('unhandledrejection', event => note(String(event.reason)))
  addEventListener('securitypolicyviolation', event => note(event.violatedDirective + ' ' + event.blockedURI))
  console.error = (...parts) => note(parts.join(' '))
}`

const [MINI_BROWSER] = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser')
const ENGINES = [
  { name: 'Firefox', start: startFirefox, needs: 'firefox-esr', isThere: isOnPath('firefox-esr') },
  {
    name: 'WebKit',
    start: startWebKit,
    needs: 'webkit2gtk-driver, xvfb and xauth',
    isThere: MINI_BROWSER !== undefined && isOnPath('xvfb-run') && isOnPath('xauth'),
  },
]
for (const { name, needs, isThere } of ENGINES)
  if (!isThere) console.warn(`Not tried, because this machine lacks ${needs}: ${name}`)

for (const { name, start, isThere } of ENGINES)
  (isThere ? describe : describe.skip)(`in ${name}`, () => {
    let laptop: Laptop
    let satellite: string
    let engine: Engine
    beforeAll(async () => {
      // WebKit keeps no secure cookie without https, even at localhost.
      laptop = await Laptop.start('dist/joined/development.js', [], { HTTPS: 'on' })
      satellite = `https://127.0.0.1:${Number(new URL(laptop.url).port) + 1}`
      engine = await start()
    }, PATIENCE_MS)
    afterAll(async () => {
      await engine?.stop()
      await laptop?.stop()
    })

    async function visit(url: string): Promise<void> {
      await engine.open(url)
      await engine.run(LISTEN)
    }

    const text = () => engine.run<string>('return document.body.innerText')
    const place = () => engine.run<string>('return location.href')
    const arrivingAt = (start: string) =>
      eventually(async () => (await place()).startsWith(start)).catch(async cause => {
        throw new Error(`${start} is not reached from ${await place()}:\n${await text()}`, { cause })
      })
    const seeing = async (words: string) => {
      await eventually(async () => (await text()).includes(words)).catch(async cause => {
        throw new Error(`"${words}" is not shown, but:\n${await text()}`, { cause })
      })
    }
    const press = (words: string) =>
      eventually(
        () =>
          engine.run(`
          const isMeant = each => each.innerText.trim().startsWith(${JSON.stringify(words)}) && !each.matches(':disabled, [aria-disabled=true]')
          const button = [...document.querySelectorAll('button, a')].find(isMeant)
          button?.click()
          return !!button`),
        { what: `a button "${words}"` },
      )
    /** As React hears of it. */
    const fill = (name: string, value: string) =>
      eventually(
        () =>
          engine.run(`
          const field = document.querySelector('input[name="${name}"]')
          if (!field) return false
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(value)})
          return field.dispatchEvent(new Event('input', { bubbles: true }))`),
        { what: `a field "${name}"` },
      )
    const logIn = async () => {
      await fill('email', OWNER.email)
      await fill('password', OWNER.password)
      await press('Log in')
    }
    const errors = () => engine.run<string[]>('return (window.seen ?? []).splice(0)')

    test(
      'people log in, change a setting, subscribe and are handed on to a satellite',
      async () => {
        await visit(`${laptop.url}/login`)
        await logIn()
        await arrivingAt(`${laptop.url}/account`)

        await visit(`${laptop.url}/account/settings`)
        await fill('name', 'Corner Shops')
        await press('Save name')
        await seeing('Name saved.')
        expect(await errors()).toEqual([])

        await visit(`${laptop.url}/subscribe`)
        await press('Go to payment')
        await seeing('Payment sandbox: no real money.')
        await press('Pay')
        await arrivingAt(laptop.url)
        await seeing('Active')

        await visit(`${satellite}/`)
        await press('Log in with')
        await arrivingAt(`${laptop.url}/handoff`)
        await press('Continue to')
        await arrivingAt(satellite)
        await eventually(() => engine.run(`return !!document.querySelector('.person-button')`))
        expect(await errors()).toEqual([])
      },
      PATIENCE_MS,
    )

    test(
      'every page of an account is drawn without an error or a raw placeholder, and fits',
      async () => {
        const faults: string[] = []
        for (const path of ACCOUNT_PAGES) {
          await visit(laptop.url + path)
          await eventually(
            () =>
              engine.run(`return !!document.querySelector('.person-button') && !!document.querySelector('h1')
              && !document.querySelector('.waiting')`),
            { what: `${path} to be shown` },
          )
          const raw = /.*(<\/?[a-z]+>|\{\w+[},]).*/.exec(await text())?.[0]
          if (raw) faults.push(`${path} shows ${raw}`)
          const over = await engine.run<number>('return document.documentElement.scrollWidth - innerWidth')
          if (over > 0) faults.push(`${path} is ${over} px too wide`)
          faults.push(...(await errors()).map(error => `${path}: ${error}`))
        }
        expect(faults).toEqual([])
      },
      PATIENCE_MS,
    )
  })

/** Speaks WebDriver BiDi with Firefox itself. Source: https://www.w3.org/TR/webdriver-bidi/. */
async function startFirefox(): Promise<Engine> {
  const [port, profile] = [await freePort(), await mkdtemp(join(tmpdir(), 'mainstay-firefox-'))]
  const args = ['--headless', '--no-remote', '--profile', profile, `--remote-debugging-port=${port}`]
  const firefox = spawn('firefox-esr', args, { stdio: 'ignore', env: { ...process.env, HOME: profile } })
  const socket = await eventually(() => connected(`ws://127.0.0.1:${port}/session`), {
    what: 'Firefox',
    timeoutMs: PATIENCE_MS,
  })
  let last = 0
  const answers = new Map<number, (answer: BidiAnswer) => void>()
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as BidiAnswer
    answers.get(answer.id)?.(answer)
  })
  const send = async <T>(method: string, params: object): Promise<T> => {
    const id = ++last
    const answered = new Promise<BidiAnswer>(resolve => answers.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params }))
    const answer = await answered
    if (answer.type === 'error') throw new Error(`${method}: ${answer.message}`)
    return answer.result as T
  }
  await send('session.new', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } })
  // Before any script of a page.
  await send('script.addPreloadScript', { functionDeclaration: `() => { ${LISTEN} }` })
  const { context } = await send<{ context: string }>('browsingContext.create', { type: 'tab' })
  return {
    open: async url => {
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    run: async body => {
      const { result } = await send<{ result: { value: string } }>('script.evaluate', {
        expression: `JSON.stringify((() => { ${body} })() ?? null)`,
        target: { context },
        awaitPromise: true,
      })
      return JSON.parse(result.value)
    },
    stop: async () => {
      socket.close()
      await ended(firefox)
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

interface BidiAnswer {
  readonly id: number
  readonly type: string
  readonly message?: string
  readonly result?: unknown
}

function connected(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url)
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socket))
    socket.addEventListener('error', () => reject(new Error(`${url} does not answer`)))
  })
}

/** Speaks WebDriver with WebKitGTK's MiniBrowser, on a display of its own. Source: https://www.w3.org/TR/webdriver2/. */
async function startWebKit(): Promise<Engine> {
  const port = await freePort()
  const args = ['--auto-servernum', 'WebKitWebDriver', `--port=${port}`, '--host=127.0.0.1']
  const driver = spawn('xvfb-run', args, { stdio: 'ignore', detached: true })
  let session = ''
  const command = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const init = { method, ...(body && { body: JSON.stringify(body) }) }
    const answer = await fetch(`http://127.0.0.1:${port}/session${session}${path}`, init)
    const { value } = (await answer.json()) as { value: T & { error?: string; message?: string } }
    if (value?.error) throw new Error(`${path}: ${value.error}: ${value.message}`)
    return value
  }
  const alwaysMatch = {
    acceptInsecureCerts: true,
    'webkitgtk:browserOptions': { binary: MINI_BROWSER, args: ['--automation'] },
  }
  const { sessionId } = await eventually(
    () => command<{ sessionId: string }>('POST', '', { capabilities: { alwaysMatch } }),
    { what: 'WebKit', timeoutMs: PATIENCE_MS, everyMs: 500 },
  )
  session = `/${sessionId}`
  return {
    open: url => command('POST', '/url', { url }),
    run: body => command('POST', '/execute/sync', { script: body, args: [] }),
    stop: async () => {
      await command('DELETE', '').catch(() => undefined)
      // With the display.
      if (driver.pid) process.kill(-driver.pid, 'SIGTERM')
      await once(driver, 'exit')
    },
  }
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, program)))
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
