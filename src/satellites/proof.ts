import { randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { get as getHttp, type IncomingMessage } from 'node:http'
import { get as getHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { Injectable } from '@nestjs/common'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { proofHostOf } from '../cors/satellite-origin.js'
import { isWithin } from '../platform/config/origin.js'
import { Settings } from '../platform/config/settings.js'
import { type Fault, type FieldError, type FieldFault, faultOf } from '../platform/errors/field-faults.js'
import { within } from '../platform/time.js'

/** 256 bits, 43 characters of base64url. */
const TOKEN_BYTES = 32

/** What the owner of a host must publish, in one of two places. */
interface ProofChallenge {
  readonly dns: { readonly name: string; readonly value: string }
  /** Null for preview satellites, because they have many hosts. */
  readonly file: { readonly url: string; readonly content: string } | null
}

export function newProofToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/**
 * Where the token must be found (draft-ietf-dnsop-domain-verification-techniques). The record stays there as
 * long as the satellite is used, because it is looked up again every day: so it has no expiry.
 */
export function proofChallenge(origin: string, token: string): ProofChallenge {
  const value = `token=${token} expiry=never`
  return {
    dns: { name: `_mainstay-challenge.${proofHostOf(origin)}`, value },
    file: origin.includes('*')
      ? null
      : { url: `${origin}/.well-known/mainstay-challenge.txt`, content: value },
  }
}

/** What was looked up for a proof, and what came back, for people who are waiting for a record to appear. */
interface ProofLookup {
  /** Such as `TXT _mainstay-challenge.shop.example.com`. */
  readonly question: string
  /** The texts that came back, shortened; empty when there was none. */
  readonly texts: readonly string[]
  /** Why there is none; null when there are texts. */
  readonly fault: Fault | null
  /** Whether no server answered, so that it says nothing about the proof. */
  readonly isOutage: boolean
}

/** Where a proof can be. */
export type ProofMethod = 'dns' | 'file'

/** The result of looking in both places. */
export interface ProofResult {
  /** Where the token was found; null if nowhere. */
  readonly method: ProofMethod | null
  /** By place; the file is null for preview satellites. */
  readonly lookups: { readonly dns: ProofLookup; readonly file: ProofLookup | null }
}

/** Looks for the proofs of satellites: in the DNS and, except for previews, in a file on the site itself. */
@Injectable()
export class SatelliteProofLookup {
  private readonly resolver: Resolver
  private readonly mayBePrivate: boolean

  constructor({ dnsServers, environment }: Settings) {
    this.resolver = resolverOf(dnsServers)
    this.mayBePrivate = environment !== 'production'
  }

  /** Looks in both places at the same time; an outage of either is part of the result. */
  async look(origin: string, token: string): Promise<ProofResult> {
    const challenge = proofChallenge(origin, token)
    const [dns, file] = await Promise.all([
      lookUpTxt(this.resolver, challenge.dns.name),
      challenge.file &&
        fetchProofFile(challenge.file.url, { resolver: this.resolver, mayBePrivate: this.mayBePrivate }),
    ])
    const lookups = { dns, file }
    if (hasToken(dns.texts, token)) return { method: 'dns', lookups }
    return { method: hasToken(file?.texts ?? [], token) ? 'file' : null, lookups }
  }
}

/** Some DNS providers keep the quotes that were pasted with a value, or escape them. */
const QUOTES = /^[\\"'“”„]+|[\\"'“”„]+$/g

/** Whether one of the texts found contains the token. */
export function hasToken(texts: readonly string[], token: string): boolean {
  const words = texts.flatMap(text => text.split(/\s+/))
  return words.some(word => word.replace(QUOTES, '') === `token=${token}`)
}

/** Enough to recognise a text, too little to read a document. */
const MAX_TEXT_LENGTH = 100
const MAX_TEXTS = 5

/** What came back instead of the proof: `TXT …: the name has no TXT record`. */
export function lookupFault({ question, texts, fault }: ProofLookup): FieldError {
  const { code, values, message } = fault ?? faultOf('PROOF_OTHER_TEXTS', { texts: shown(texts) })
  return { field: 'proof', code, values: { ...values, question }, message: `${question}: ${message}` }
}

/** The texts come from another server, so they are shortened and made printable. */
function shown(texts: readonly string[]): string {
  const first = texts.slice(0, MAX_TEXTS).map(text => JSON.stringify(text.slice(0, MAX_TEXT_LENGTH)))
  return [...first, ...(texts.length > MAX_TEXTS ? ['…'] : [])].join(', ')
}

const DNS_TIMEOUT_MS = 2_000
const DNS_TRIES = 2
/** For all attempts with all servers together; the same as for the file. */
const DNS_LIMIT_MS = 5_000

const UTF8 = new TextDecoder('utf-8', { fatal: true })

const DNS_FAULTS: Readonly<Record<string, FieldFault>> = {
  ENOTFOUND: 'PROOF_NO_NAME',
  ENODATA: 'PROOF_NO_RECORD',
  ESERVFAIL: 'PROOF_SERVFAIL',
  EREFUSED: 'PROOF_DNS_REFUSED',
  ETIMEOUT: 'PROOF_DNS_TIMEOUT',
  ECONNREFUSED: 'PROOF_DNS_UNREACHABLE',
}

/** A resolver that uses these servers, or the machine's own if there are none. */
export function resolverOf(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

/** The TXT records of a name, within `limitMs`. Never rejects: an outage is reported as a fault like any other. */
export async function lookUpTxt(
  resolver: Resolver,
  name: string,
  limitMs = DNS_LIMIT_MS,
): Promise<ProofLookup> {
  const question = `TXT ${name}`
  try {
    const records = await within(limitMs, resolver.resolveTxt(name))
    return { question, texts: records.map(textOf), fault: null, isOutage: false }
  } catch (error) {
    // Only our own limit is an error without a code.
    const { code = 'ETIMEOUT' } = error as NodeJS.ErrnoException
    const isOutage = code !== 'ENOTFOUND' && code !== 'ENODATA'
    const known = DNS_FAULTS[code]
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

const FILE_TIMEOUT_MS = 5_000
const MAX_FILE_BYTES = 1_024
/** Occurs in the errors of the agent that refuses an address, and in ours. */
const NOT_ALLOWED = 'is not allowed'

interface FileProofOptions {
  readonly resolver: Resolver
  /** For tests and development; in production a name could lead into our own network. */
  readonly mayBePrivate: boolean
}

/**
 * The first KiB of a file on a satellite's server, within 5 seconds. Follows no redirect, and connects only
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
  const signal = AbortSignal.timeout(FILE_TIMEOUT_MS)
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
    if (bytes > MAX_FILE_BYTES) {
      response.destroy()
      throw new OtherAnswer(faultOf('PROOF_TOO_LONG'))
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8').trim()
}

const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

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
  // Name servers need not know it (RFC 6761 §6.3).
  if (mayBePrivate && isWithin(host, 'localhost')) return LOOPBACK
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

const FILE_FAULTS: Readonly<Record<string, FieldFault>> = {
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
  const known = FILE_FAULTS[code]
  return known ? faultOf(known) : faultOf('PROOF_REQUEST_FAILED', { reason: code || message })
}
