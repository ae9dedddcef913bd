import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { Command } from 'commander'
import { withoutByteOrderMark } from '../../platform/config/byte-order-mark.js'
import type { CommandContext } from '../command-context.js'
import { requireNoFolder } from '../require-no-folder.js'
import { type AskedService, examine } from './examine.js'
import { asLines, summaryOf } from './report.js'

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
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host)) return [url]
  const found = await lookup(host, { all: true }).catch(() => [])
  if (found.length === 0) return [url]
  return found.map(({ address, family }) => {
    const at = new URL(url)
    at.hostname = family === 6 ? `[${address}]` : address
    return at
  })
}
