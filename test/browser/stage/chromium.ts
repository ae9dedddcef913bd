import childProcess from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { type Certificate, makeCertificate } from './certificate.js'
import { ORIGINS } from './hosts.js'

/** Debian's package; elsewhere another place may be named. */
const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** The suggestions below the address bar, which nobody sees: each window would load these two pages, for a second. */
const OMNIBOX = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']

/** What the files of a worker share, one after the other. */
interface Shared {
  readonly browser: Browser
  /** The only one that the browser trusts. */
  readonly certificate: Certificate
  /** Where the servers of each origin listen at the moment. */
  readonly ports: Map<string, number>
}

/** The modules of a file end with it. What is here, and these listeners of the process, stay until the worker ends. */
const worker = globalThis as { [key: symbol]: unknown }
const SHARED = Symbol.for('mainstay.chromium')
const KEPT_LISTENERS = Symbol.for('mainstay.kept-listeners')

/**
 * The worker's headless Chromium, which is started for its first user and ends with the worker. Everybody opens contexts
 * of their own in it, and closes them.
 */
export async function sharedChromium(): Promise<Browser> {
  return (await shared()).browser
}

/** What servers have to present for it to trust them. */
export async function trustedCertificate(): Promise<Certificate> {
  return (await shared()).certificate
}

/** From now on it finds these origins at these ports of this machine, and none of the others. */
export async function lead(ports: Readonly<Record<string, number>>): Promise<void> {
  const current = (await shared()).ports
  current.clear()
  for (const [origin, port] of Object.entries(ports)) current.set(origin, port)
}

async function shared(): Promise<Shared> {
  const existing = (await worker[SHARED]) as Shared | undefined
  if (existing?.browser.isConnected()) return existing
  worker[SHARED] = keepingListeners(start)
  return (await worker[SHARED]) as Shared
}

async function start(): Promise<Shared> {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-browser-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const certificate = await makeCertificate(folder, ORIGINS)
  const ports = new Map<string, number>()
  const rules = await Promise.all(
    ORIGINS.map(async origin => {
      const door = await openDoor(() => ports.get(origin))
      return `MAP ${new URL(origin).hostname}:443 127.0.0.1:${(door.address() as AddressInfo).port}`
    }),
  )
  return { browser: await launch(certificate.keyHash, rules), certificate, ports }
}

/**
 * What listens to the process since then is not taken away when the file ends: without Playwright's listeners a
 * Chromium would stay behind, and its folder with it.
 */
async function keepingListeners<T>(act: () => Promise<T>): Promise<T> {
  const listeners = () => process.eventNames().flatMap(name => process.rawListeners(name as 'exit'))
  const before = new Set(listeners())
  const result = await act()
  worker[KEPT_LISTENERS] = new Set(listeners().filter(listener => !before.has(listener)))
  return result
}

/** Chromium learns once where an origin is: here, and whoever comes is led on to the server of the moment. */
async function openDoor(portNow: () => number | undefined): Promise<Server> {
  const door = createServer(incoming => {
    const port = portNow()
    if (port === undefined) return incoming.destroy()
    const outgoing = connect(port, '127.0.0.1')
    incoming.pipe(outgoing).pipe(incoming)
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  return door.unref()
}

/** All but the rules is as people have it: https on the usual port, sites, cookies, preflights, locks. */
async function launch(keyHash: string, rules: readonly string[]): Promise<Browser> {
  const { spawn } = childProcess
  // A worker ends when it has nothing left to wait for, and Chromium with it.
  const spawnAside = (...given: Parameters<typeof spawn>) => {
    const started = spawn(...given)
    started.unref()
    for (const pipe of started.stdio) (pipe as Socket | null)?.unref()
    return started
  }
  Object.assign(childProcess, { spawn: spawnAside })
  try {
    return await chromium.launch({
      executablePath: PROGRAM,
      // A worker that is told to end does so, and Chromium with it.
      handleSIGTERM: false,
      handleSIGHUP: false,
      args: [
        `--host-resolver-rules=${[...rules, 'MAP *.test ~NOTFOUND'].join(', ')}`,
        // There is none, and a process that stands in for it costs time.
        '--disable-gpu',
        `--disable-features=${[...featuresOffInPlaywright(), ...OMNIBOX]}`,
        `--ignore-certificate-errors-spki-list=${keyHash}`,
        // As more and more people have it; a test makes sure that the browser still knows this name.
        '--test-third-party-cookie-phaseout',
      ],
    })
  } finally {
    Object.assign(childProcess, { spawn })
  }
}

/** Chromium heeds one list alone, and Playwright does not give away its own. */
function featuresOffInPlaywright(): string[] {
  const bundle = readFileSync(require.resolve('playwright-core/lib/coreBundle'), 'utf8')
  const list = /\bdisabledFeatures = \[([^\]]*)\]/.exec(bundle)?.[1] ?? ''
  const names = [...list.matchAll(/^\s*"(\w+)",?$/gm)].map(([, name]) => name as string)
  if (names.length === 0) throw new Error('Playwright has its list of features elsewhere now')
  return names
}
