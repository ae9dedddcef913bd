import { Resolver } from 'node:dns/promises'
import { type FieldFault, faultOf } from '../../platform/errors/field-faults.js'
import { within } from '../../platform/time.js'
import type { ProofLookup } from './proof-lookup.js'

const TIMEOUT_MS = 2_000
const TRIES = 2
/** For all attempts with all servers together; the same as for the file. */
const LIMIT_MS = 5_000

const UTF8 = new TextDecoder('utf-8', { fatal: true })

const FAULTS: Readonly<Record<string, FieldFault>> = {
  ENOTFOUND: 'PROOF_NO_NAME',
  ENODATA: 'PROOF_NO_RECORD',
  ESERVFAIL: 'PROOF_SERVFAIL',
  EREFUSED: 'PROOF_DNS_REFUSED',
  ETIMEOUT: 'PROOF_DNS_TIMEOUT',
  ECONNREFUSED: 'PROOF_DNS_UNREACHABLE',
}

/** A resolver that uses these servers, or the machine's own if there are none. */
export function resolverOf(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

/** The TXT records of a name, within `limitMs`. Never rejects: an outage is reported as a fault like any other. */
export async function lookUpTxt(resolver: Resolver, name: string, limitMs = LIMIT_MS): Promise<ProofLookup> {
  const question = `TXT ${name}`
  try {
    const records = await within(limitMs, resolver.resolveTxt(name))
    return { question, texts: records.map(textOf), fault: null, isOutage: false }
  } catch (error) {
    // Only our own limit is an error without a code.
    const { code = 'ETIMEOUT' } = error as NodeJS.ErrnoException
    const isOutage = code !== 'ENOTFOUND' && code !== 'ENODATA'
    const known = FAULTS[code]
    const fault = known ? faultOf(known) : faultOf('PROOF_DNS_FAILED', { reason: code })
    return { question, texts: [], fault, isOutage }
  }
}

const WHOLE_TOKEN = /(^|[\s"])token=[\w-]{43}($|[\s"])/

/**
 * A long record comes as several strings, which belong together. But a zone file without quotes makes a string of each
 * word: then one has the whole token, and the space between them is lost.
 */
function textOf(strings: readonly string[]): string {
  return fromUtf8(strings.join(strings.some(string => WHOLE_TOKEN.test(fromUtf8(string))) ? ' ' : ''))
}

/** Node reads the bytes of a record as Latin-1. Those that are not UTF-8 stay as they are. */
function fromUtf8(latin1: string): string {
  try {
    return UTF8.decode(Buffer.from(latin1, 'latin1'))
  } catch {
    return latin1
  }
}
