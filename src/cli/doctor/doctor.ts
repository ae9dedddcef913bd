import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { Command } from 'commander'
import { withoutByteOrderMark } from '../../platform/config/byte-order-mark.js'
import { hostOf } from '../../platform/config/origin.js'
import { givenTexts, readSettings } from '../../platform/config/read-settings.js'
import type { Settings } from '../../platform/config/settings.js'
import { ALL_SETTINGS } from '../../platform/config/tables.js'
import { pluralize, printable } from '../../platform/log.js'
import { Clock } from '../../platform/time.js'
import { type CommandContext, requireNoFolder } from '../command-context.js'
import { checkSites } from './browser.js'
import { databaseCheck } from './database.js'
import { type Check, type Finding, type FindingStatus, runChecks, skipped } from './finding.js'
import { checkDisk, checkSettings, faultsOf, keyFileChecks, startChecks } from './machine.js'
import { outsideCheck } from './outside.js'
import { Outside, trusting } from './probe.js'
import { redisCheck } from './redis.js'
import { mailCheck, providerChecks } from './services.js'

interface Options {
  readonly json?: boolean
  readonly at?: string
  readonly replica: readonly string[]
  readonly ca?: string
}

/** `doctor`. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('examine the installation, and the running service from outside; exits with 1 on any fault')
    .argument('[origin]', 'where clients reach the API, such as https://api.example.com')
    .option('--json', 'an array of findings instead of lines')
    .option('--at <url>', 'connect there instead, such as past a CDN or before DNS leads there')
    .option(
      '--replica <url>',
      'a server behind that origin, asked directly; every address of its name (may be repeated)',
      (url: string, urls: readonly string[]) => [...urls, url],
      [],
    )
    .option('--ca <file>', 'a certificate authority (PEM) to trust beside the usual ones')
    .action((origin: string | undefined, options: Options) => runDoctor(origin, options, context))
}

async function runDoctor(
  origin: string | undefined,
  options: Options,
  { environment, print }: CommandContext,
): Promise<void> {
  const findings = await examine(environment, await serviceOf(origin, options))
  if (options.json) print(JSON.stringify(findings, null, 2))
  else for (const line of asLines(findings)) print(line)
  const summary = summaryOf(findings)
  if (findings.some(({ status }) => status === 'fault')) throw new Error(summary)
  if (!options.json) print(summary)
}

async function serviceOf(
  origin: string | undefined,
  { at, replica, ca }: Options,
): Promise<AskedService | null> {
  if (origin === undefined) {
    if (at || replica.length > 0 || ca) throw new Error('--at, --replica and --ca need an origin to ask for')
    return null
  }
  if (ca) await requireNoFolder(ca)
  const replicas = await Promise.all(replica.map(url => everyAddress(asUrl(url))))
  return {
    origin: asUrl(origin),
    at: at ? asUrl(at) : null,
    replicas: replicas.flat(),
    ca: ca ? withoutByteOrderMark(await readFile(ca, 'utf8')) : null,
  }
}

function asUrl(text: string): URL {
  if (!/^https?:/.test(text) || !URL.canParse(text))
    throw new Error(`${text} is not an address such as https://api.example.com`)
  return new URL(text)
}

/**
 * One name may stand for many replicas, like that of a headless service. A name that cannot be resolved stays as
 * it is.
 */
async function everyAddress(url: URL): Promise<URL[]> {
  const host = hostOf(url)
  if (isIP(host)) return [url]
  const found = await lookup(host, { all: true }).catch(() => [])
  if (found.length === 0) return [url]
  return found.map(({ address, family }) => {
    const at = new URL(url)
    at.hostname = family === 6 ? `[${address}]` : address
    return at
  })
}

/** Where to ask the running service; null leaves that out. */
interface AskedService {
  readonly origin: URL
  /** Where the connection goes instead of to the origin's name. */
  readonly at: URL | null
  readonly replicas: readonly URL[]
  readonly ca: string | null
}

/** Examines an installation without its service, and the running service from outside. No finding contains a secret. */
async function examine(
  environment: CommandContext['environment'],
  service: AskedService | null,
): Promise<Finding[]> {
  const redaction = new Redaction(givenTexts(environment).texts)
  const findings = await findingsOf(environment, service)
  return findings.map(({ saw, todo, ...finding }) => ({
    ...finding,
    saw: redaction.apply(saw),
    ...(todo && { todo: redaction.apply(todo) }),
  }))
}

async function findingsOf(
  environment: CommandContext['environment'],
  service: AskedService | null,
): Promise<Finding[]> {
  let settings: Settings
  try {
    settings = readSettings(environment)
  } catch (error) {
    return [...faultsOf(error), skipped('installation', 'not looked at before the settings are right')]
  }
  return runChecks(checksOf(settings, service))
}

function checksOf(settings: Settings, service: AskedService | null): Check[] {
  const clock = new Clock()
  const now = clock.now()
  return [
    { name: 'settings', todo: 'Look at the file it names', run: () => checkSettings(settings) },
    ...startChecks(settings, now),
    { name: 'cookie.site', todo: 'Correct PUBLIC_URL and MAIN_ORIGIN', run: () => checkSites(settings) },
    ...keyFileChecks(settings, now),
    { name: 'disk', todo: 'Correct DATA_DIR', run: () => checkDisk(settings) },
    databaseCheck(settings, clock),
    redisCheck(settings, clock),
    mailCheck(settings),
    ...providerChecks(settings, clock),
    service ? outsideCheck(outsideOf(service, settings, clock)) : withoutService(settings),
  ]
}

function outsideOf({ origin, at, replicas, ca }: AskedService, settings: Settings, clock: Clock): Outside {
  return new Outside({ origin, at, trust: trusting(ca) }, settings, clock, replicas)
}

function withoutService({ publicUrl }: Settings): Check {
  const saw = `not asked from outside; run doctor ${publicUrl}`
  return { name: 'service', todo: '', run: () => [skipped('service', saw)] }
}

/** Faults last: the end is what a terminal still shows. */
const ORDER: readonly FindingStatus[] = ['ok', 'skipped', 'warning', 'fault']
const STATUS_WIDTH = Math.max(...ORDER.map(status => status.length))

/** One line each: what was looked at, what was seen, and what to do about it. */
export function asLines(findings: readonly Finding[]): string[] {
  const sorted = ORDER.flatMap(status => findings.filter(finding => finding.status === status))
  const width = Math.max(...findings.map(({ check }) => check.length))
  return sorted.map(({ check, status, saw, todo }) => {
    const seen = `${status.padEnd(STATUS_WIDTH)}  ${check.padEnd(width)}  ${printable(saw)}`
    return todo ? `${seen} → ${todo}` : seen
  })
}

/** How many findings there are of each kind, in words. */
function summaryOf(findings: readonly Finding[]): string {
  const count = (status: FindingStatus) => findings.filter(finding => finding.status === status).length
  return `${pluralize(count('fault'), 'fault')}, ${pluralize(count('warning'), 'warning')}, ${count('skipped')} skipped, ${count('ok')} ok`
}

const HIDDEN = '•••'

/** Masks every secret of the settings, wherever an error from a server or library repeats one. */
export class Redaction {
  private readonly secrets: readonly string[]

  /** `texts` are the settings as they were given, by name. */
  constructor(texts: Readonly<Record<string, string | undefined>>) {
    const values = ALL_SETTINGS.filter(({ isSecret }) => isSecret).map(({ name }) => texts[name])
    const parts = values.flatMap(value => (value ? secretsIn(value.trim()) : []))
    // Longest first, so that no part of one is left.
    this.secrets = [...new Set(parts)]
      .filter(secret => secret !== '')
      .sort((one, other) => other.length - one.length)
  }

  apply(text: string): string {
    return this.secrets.reduce((safe, secret) => safe.replaceAll(secret, HIDDEN), text)
  }
}

/** The value and each item of a list; for a URL also its password, as written and decoded. */
function secretsIn(value: string): string[] {
  if (!/^[a-z+]+:/.test(value)) return [value, ...value.split(',').map(item => item.trim())]
  // A URL without a password reveals nothing but where a server is.
  const passwords = [/^[a-z+]+:\/\/[^@/?#]*?:([^@/?#]*)@/, /[?&]password=([^&]*)/].flatMap(
    pattern => pattern.exec(value)?.[1] ?? [],
  )
  return passwords.length === 0 ? [] : [value, ...passwords.flatMap(text => [text, decoded(text)])]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
