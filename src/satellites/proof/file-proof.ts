import type { Resolver } from 'node:dns/promises'
import { get as getHttp, type IncomingMessage } from 'node:http'
import { get as getHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { type Fault, type FieldFault, faultOf } from '../../platform/errors/field-faults.js'
import type { ProofLookup } from './proof-lookup.js'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 1_024
/** Occurs in the errors of the agent that refuses an address, and in ours. */
const NOT_ALLOWED = 'is not allowed'

export interface FileProofOptions {
  readonly resolver: Resolver
  /** For tests and development; anywhere else somebody's name could lead into our own network. */
  readonly mayBePrivate: boolean
}

/**
 * The first KiB of a file on somebody else's server, within 5 seconds. Follows no redirect, and connects only
 * to an address that was checked. Never rejects.
 */
export async function fetchProofFile(url: string, options: FileProofOptions): Promise<ProofLookup> {
  try {
    return { question: url, texts: [await read(url, options)], fault: null, isOutage: false }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const fault = error instanceof OtherAnswer ? error.fault : requestFault(error as NodeJS.ErrnoException)
    // An answer that is not the file has no error code.
    return { question: url, texts: [], fault, isOutage: code !== undefined }
  }
}

function read(url: string, { resolver, mayBePrivate }: FileProofOptions): Promise<string> {
  const isSecure = url.startsWith('https:')
  const filter = { allowPrivateIPAddress: mayBePrivate, keepAlive: false }
  const agent = isSecure ? new RequestFilteringHttpsAgent(filter) : new RequestFilteringHttpAgent(filter)
  const get = isSecure ? getHttps : getHttp
  const lookup = lookupBy(resolver, mayBePrivate)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  return new Promise((resolve, reject) => {
    get(url, { agent, signal, lookup, headers: { Accept: 'text/plain' } }, response =>
      firstKibibyte(response).then(resolve, reject),
    )
      .on('error', reject)
      // Otherwise nothing at all would come of an answer with the status 101, not even a time-out.
      .on('upgrade', ({ statusCode }, socket) => {
        socket.destroy()
        reject(new OtherAnswer(faultOf('PROOF_STATUS', { status: statusCode ?? 0 })))
      })
  })
}

/** The server answered, but not with the file. */
class OtherAnswer extends Error {
  constructor(readonly fault: Fault) {
    super(fault.message)
  }
}

async function firstKibibyte(response: IncomingMessage): Promise<string> {
  const { statusCode = 0 } = response
  if (statusCode !== 200) {
    response.destroy()
    const isRedirect = statusCode >= 300 && statusCode < 400
    throw new OtherAnswer(faultOf(isRedirect ? 'PROOF_REDIRECT' : 'PROOF_STATUS', { status: statusCode }))
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) {
      response.destroy()
      throw new OtherAnswer(faultOf('PROOF_TOO_LONG'))
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8').trim()
}

/** Resolves addresses with the same name servers as the records, only once; the agent refuses private ones. */
function lookupBy(resolver: Resolver, mayBePrivate: boolean): LookupFunction {
  return (host, { all }, callback) => {
    void addressesOf(resolver, host, mayBePrivate).then(
      addresses =>
        all ? callback(null, addresses) : callback(null, addresses[0]?.address ?? '', addresses[0]?.family),
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
}

async function addressesOf(resolver: Resolver, host: string, mayBePrivate: boolean) {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value.map(address => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map(address => ({ address, family: 6 })) : []),
  ]
  if (found.length === 0)
    throw v4.status === 'rejected' ? v4.reason : new OtherAnswer(faultOf('PROOF_NO_ADDRESS'))
  if (!mayBePrivate && found.some(({ address, family }) => family === 6 && !isGlobalUnicast(address)))
    throw new Error(`an address of ${host} ${NOT_ALLOWED}`)
  return found
}

/** 2000::/3, all IPv6 space allocated so far (RFC 4291 §2.4); the agent knows the exceptions within it. */
function isGlobalUnicast(address: string): boolean {
  const first = Number.parseInt(address.split(':')[0] ?? '', 16)
  return first >= 0x2000 && first <= 0x3fff
}

const FAULTS: Readonly<Record<string, FieldFault>> = {
  ENOTFOUND: 'PROOF_NO_ADDRESS',
  ENODATA: 'PROOF_NO_ADDRESS',
  ECONNREFUSED: 'PROOF_CONNECTION_REFUSED',
  ECONNRESET: 'PROOF_CONNECTION_CLOSED',
  ABORT_ERR: 'PROOF_TIMEOUT',
  ETIMEOUT: 'PROOF_DNS_TIMEOUT',
}

function requestFault({ code = '', message }: NodeJS.ErrnoException): Fault {
  if (message.includes(NOT_ALLOWED)) return faultOf('PROOF_NO_ADDRESS')
  if (/CERT|SSL|TLS|SIGNATURE/.test(code)) return faultOf('PROOF_CERTIFICATE', { reason: code })
  const known = FAULTS[code]
  return known ? faultOf(known) : faultOf('PROOF_REQUEST_FAILED', { reason: code || message })
}
