import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { keyIn } from './keys.js'

/** How a token differs from a valid one. */
export interface Forgery {
  header?: Record<string, unknown>
  /** Null leaves a claim out; `now+<seconds>` is a time, `a*<count>` a long text. */
  payload?: Record<string, unknown>
  sign?: string
  /** Claims by their path, changed under the old signature. */
  tamperPayload?: Record<string, unknown>
  tamperSignature?: 'flip-last-bit'
  serialise?: 'json'
  jwe?: 'pbes2-p2c-1e9'
}

type Json = Record<string, unknown>

/** RFC 8725 §3.5: what people take for secrets. */
const WEAK_SECRETS = ['secret', 'changeme', 'password', '']

/** The tokens that fit the description: several where it names several ways. Throws for what it does not know. */
export async function forgedTokens(forgery: Forgery, valid: string, keysFile: string): Promise<string[]> {
  const { header, payload, sign: how, tamperPayload, tamperSignature, serialise, jwe, ...unknown } = forgery
  if (Object.keys(unknown).length > 0) throw new Error(`The runner cannot forge ${Object.keys(unknown)}`)
  const [head, body, signature] = valid.split('.') as [string, string, string]
  if (tamperPayload) return [`${head}.${encode(changed(decode(body), tamperPayload))}.${signature}`]
  if (tamperSignature === 'flip-last-bit') return damaged(signature).map(bad => `${head}.${body}.${bad}`)
  if (serialise === 'json') return [JSON.stringify({ protected: head, payload: body, signature })]
  if (jwe === 'pbes2-p2c-1e9') return [costlyJwe()]
  if (how === undefined) throw new Error(`The runner cannot forge ${JSON.stringify(forgery)}`)
  const algorithm = how.startsWith('hmac:') ? { alg: 'HS256' } : {}
  const input = `${encode({ ...decode(head), ...algorithm, ...header })}.${encode(withClaims(decode(body), payload))}`
  return (await signatures(how, input, keysFile)).map(made => `${input}.${made}`)
}

function withClaims(payload: Json, claims: Json = {}): Json {
  const entries = Object.entries({ ...payload, ...claims }).filter(([, value]) => value !== null)
  return Object.fromEntries(entries.map(([name, value]) => [name, claimOf(value)]))
}

function claimOf(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const [, seconds] = /^now\+(\d+)$/.exec(value) ?? []
  if (seconds) return Math.floor(Date.now() / 1000) + Number(seconds)
  const [, count] = /^a\*(\d+)$/.exec(value) ?? []
  return count ? 'a'.repeat(Number(count)) : value
}

async function signatures(how: string, input: string, keysFile: string): Promise<string[]> {
  if (how === 'none') return ['']
  if (how === 'server') return [es256(input, (await keyIn('current', keysFile)).privateKey)]
  if (how === 'old-key') return [es256(input, (await keyIn('retired', keysFile)).privateKey)]
  if (how === 'attacker') return [es256(input, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)]
  if (how === 'hmac:wordlist') return WEAK_SECRETS.map(secret => hs256(input, secret))
  if (how === 'hmac:public-key-pem-ws')
    return (await publicKeyTexts(keysFile)).map(text => hs256(input, text))
  if (how.startsWith('hmac:')) return [hs256(input, how.slice('hmac:'.length))]
  throw new Error(`The runner cannot sign with ${how}`)
}

async function publicKeyTexts(keysFile: string): Promise<string[]> {
  const { publicKey } = await keyIn('current', keysFile)
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
  return [pem, pem.trimEnd(), `\n${pem}`, `${pem}\n`]
}

function es256(input: string, key: KeyObject): string {
  return sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}

function hs256(input: string, secret: string): string {
  return createHmac('sha256', secret).update(input).digest('base64url')
}

/** The last bit of the bytes, the last bit of their text (which decodes to the same bytes), and a byte less. */
function damaged(signature: string): string[] {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const bytes = Buffer.from(signature, 'base64url')
  const flipped = Buffer.from(bytes)
  flipped[flipped.length - 1]! ^= 1
  const lastLetter = alphabet[alphabet.indexOf(signature.at(-1)!) ^ 1]
  return [
    flipped.toString('base64url'),
    `${signature.slice(0, -1)}${lastLetter}`,
    bytes.subarray(0, -1).toString('base64url'),
  ]
}

/** Whoever derives its key hashes a billion times. */
function costlyJwe(): string {
  const header = { alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', zip: 'DEF', p2c: 1e9, p2s: 'c2FsdHNhbHQ' }
  return [encode(header), 'a2V5', 'aXY', 'Y2lwaGVydGV4dA', 'dGFn'].join('.')
}

function changed(payload: Json, changes: Json): Json {
  const copy = structuredClone(payload)
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split('.')
    const last = names.pop()!
    const parent = names.reduce((part, name) => part[name] as Json, copy)
    parent[last] = value
  }
  return copy
}

/** The JSON of one part of a token. */
export function decode(part: string): Json {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Json
}

function encode(json: Json): string {
  return Buffer.from(JSON.stringify(json)).toString('base64url')
}
