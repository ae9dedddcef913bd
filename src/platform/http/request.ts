import { isIP } from 'node:net'
import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common'
import Bowser from 'bowser'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors/api-error.js'

/** Some proxies append the port of the connection, which changes every time. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\](?::\d+)?|(?<v4>\d+(?:\.\d+){3}):\d+)$/
const IPV4_IN_IPV6 = /^::ffff:(?=\d+\.)/i

/** The address alone, without port, brackets, and the prefix of an IPv4 address in IPv6. Other text stays as it is. */
export function addressWithoutPort(text: string): string {
  const { v4, v6 } = WITH_PORT.exec(text)?.groups ?? {}
  return (v4 ?? v6 ?? text).replace(IPV4_IN_IPV6, '')
}

/**
 * Who counts as one client: an IPv4 address, or an IPv6 /64, within which a client has 2^64 addresses
 * (CVE-2026-45364). All notations of an address give the same text, including IPv4 in IPv6. Everything that
 * is not an address counts as one client.
 */
export function clientNetworkOf(address: string): string {
  return prefixOf(address, { ipv4Bytes: 4, ipv6Bytes: 8 })
}

/**
 * The IPv6 /56 of an address, which is what a home usually gets (RFC 6177); null for IPv4 and for anything
 * that is not an address.
 */
export function blockOf(address: string): string | null {
  const block = prefixOf(address, { ipv4Bytes: 4, ipv6Bytes: 7 })
  return block.includes(':') ? block : null
}

/**
 * The subnet of an address: IPv4 /24, what one office or provider typically assigns from; IPv6 /48, the most
 * that one site gets (RFC 6177). Known clients are recognised by it, and share a counter with all others
 * in it.
 */
export function subnetOf(address: string): string {
  return prefixOf(address, { ipv4Bytes: 3, ipv6Bytes: 6 })
}

/** The first address of a network in CIDR form; an address is its own. */
export function firstAddressOf(network: string): string {
  return network.split('/')[0] as string
}

/** 4 or 6 for an address or a network in CIDR form; null otherwise. */
export function addressFamily(addressOrNetwork: string): 4 | 6 | null {
  const subnet = subnetOf(firstAddressOf(addressOrNetwork))
  if (subnet === 'unknown') return null
  return subnet.includes(':') ? 6 : 4
}

function prefixOf(address: string, { ipv4Bytes, ipv6Bytes }: { ipv4Bytes: number; ipv6Bytes: number }) {
  const ip = addressWithoutPort(address)
  const family = isIP(ip)
  if (family === 0) return 'unknown'
  const groups = family === 6 ? groupsOf(ip) : []
  const bytes = family === 4 ? ip.split('.').map(Number) : packedIpv4(groups)
  if (bytes) return `${bytes.map((byte, index) => (index < ipv4Bytes ? byte : 0)).join('.')}/${8 * ipv4Bytes}`
  const prefix = groups.slice(0, Math.ceil(ipv6Bytes / 2)).map((group, index) => {
    const isCutInHalf = 2 * index + 1 === ipv6Bytes
    return (isCutInHalf ? group & 0xff00 : group).toString(16)
  })
  return `${prefix.join(':')}::/${8 * ipv6Bytes}`
}

/** The eight groups of an IPv6 address. */
function groupsOf(ip: string): number[] {
  const canonical = new URL(`http://[${ip.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
  const [left = [], right = []] = canonical.split('::').map(part => part.split(':').filter(Boolean))
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].map(group => Number.parseInt(group, 16))
}

/** The bytes of `::ffff:a.b.c.d` (RFC 4291 §2.5.5.2); null for every other address. */
function packedIpv4(groups: readonly number[]): number[] | null {
  const isPacked = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff
  return isPacked ? groups.slice(6).flatMap(group => [group >> 8, group & 0xff]) : null
}

/** Where a request came from, as recorded by sessions and the audit log. */
export interface Client {
  readonly requestId: string
  /**
   * Behind a proxy in TRUST_PROXY, the address that it reports, without its port; otherwise the socket's. `unknown`
   * if the client disconnected before we read its address.
   */
  readonly ip: string
  /** At most {@link MAX_USER_AGENT_BYTES} bytes; null when none was sent. */
  readonly userAgent: string | null
  /** The browser's origin; null outside browsers. Always a listed one: the CORS hook has refused all others. */
  readonly origin: string | null
  /** The header as sent (RFC 9110 §12.5.4); absent without one. */
  readonly acceptLanguage?: string | undefined
}

/** Enough to tell browsers apart; there are millions of sessions. */
export const MAX_USER_AGENT_BYTES = 64
/** A refused origin can be any text; this much is enough to identify it. */
const MAX_ORIGIN_LENGTH = 300

export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientOf(requestOf(context)),
)

/** The request that a guard or a parameter decorator is called for. */
export function requestOf(context: ExecutionContext): FastifyRequest {
  return context.getArgByIndex<FastifyRequest>(0)
}

export function clientOf(request: FastifyRequest): Client {
  return new RequestClient(request)
}

/** Address and User-Agent are computed on demand, because most refreshes need only the origin. */
class RequestClient implements Client {
  readonly requestId: string
  readonly origin: string | null
  // Private, so that logging a client never prints the request's cookies.
  readonly #request: FastifyRequest
  #userAgent: string | null | undefined

  constructor(request: FastifyRequest) {
    this.#request = request
    this.requestId = request.id
    this.origin = request.headers.origin?.slice(0, MAX_ORIGIN_LENGTH) ?? null
  }

  get ip(): string {
    const ip = this.#request.ip as string | undefined
    return ip === undefined ? 'unknown' : addressWithoutPort(ip)
  }

  get acceptLanguage(): string | undefined {
    return this.#request.headers['accept-language']
  }

  get userAgent(): string | null {
    if (this.#userAgent === undefined) this.#userAgent = shortUserAgent(this.#request.headers['user-agent'])
    return this.#userAgent
  }
}

/** What every browser has claimed for years; dropping it leaves room for what tells browsers apart. */
const BOILERPLATE =
  /Mozilla\/5\.0 |AppleWebKit\/[\d.]+ |\(KHTML, like Gecko\) |Gecko\/20100101 |Mobile\/15E148 |Safari\/537\.36 (?=\w)| Safari\/537\.36$/g

/** The distinctive part of a User-Agent in printable ASCII, at most 64 bytes. */
export function shortUserAgent(userAgent: string | undefined): string | null {
  const short = userAgent
    ?.slice(0, 1_000)
    .replace(BOILERPLATE, '')
    .replace(/[^\x20-\x7e]/g, '')
    .slice(0, MAX_USER_AGENT_BYTES)
    .trim()
  return short || null
}

/** Node silently joins or drops repeated headers; this does not. */
type SingleHeader =
  | { readonly kind: 'absent' }
  | { readonly kind: 'repeated' }
  | { readonly kind: 'one'; readonly value: string }

const ABSENT: SingleHeader = { kind: 'absent' }
const REPEATED: SingleHeader = { kind: 'repeated' }

/** The header `name` (in lower case) as received: absent, sent once, or more than once. */
export function singleHeader(request: FastifyRequest, name: string): SingleHeader {
  if (request.headers[name] === undefined) return ABSENT
  const { rawHeaders } = request.raw
  let value: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const candidate = rawHeaders[i] as string
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue
    if (value !== undefined) return REPEATED
    value = rawHeaders[i + 1]
  }
  return value === undefined ? ABSENT : { kind: 'one', value }
}

/** Every value of the cookie with this name, as sent; cookie parsers silently keep one of several. */
export function cookieValues(
  { headers: { cookie } }: Pick<FastifyRequest, 'headers'>,
  name: string,
): string[] {
  if (!cookie) return []
  return cookie
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))
}

/** What {@link deviceName} returns when it cannot tell. */
export const UNKNOWN_DEVICE = 'Unknown device'

/**
 * The first product of a client that is not a browser, `MainstayApp/2.1 …`, or of a robot,
 * `(compatible; SomeBot/1.0; …`.
 */
const OWN_NAME = /^(?:\(compatible; )?(?!Mozilla)([A-Za-z][\w. -]{0,29})\/[\dv]/

/** For a text that it does not know, the parser reports any first word as a browser. */
const BROWSERS: ReadonlySet<string | undefined> = new Set(Object.values(Bowser.BROWSER_MAP))

/** Names that are too detailed, or mean nothing to people. */
const PLAIN_NAMES: ReadonlyMap<string, string> = new Map([
  ['Microsoft Edge', 'Edge'],
  ['Samsung Internet for Android', 'Samsung Internet'],
  // The parser's name for an Android web view, after a browser that no longer exists.
  ['Android Browser', 'App'],
  ['Dalvik', 'App'],
  ['okhttp', 'App (okhttp)'],
])

/**
 * A readable name for the client, such as `Chrome on Windows`, `Safari on iPhone`, `MainstayApp on Android`
 * or `curl`; `Unknown device` when the text does not name one. The same for a full User-Agent and for the
 * part of it that a session keeps. Without versions, so that an update does not look like a new device. It is
 * only what the client claims.
 */
export function deviceName(userAgent: string | null): string {
  const text = shortUserAgent(userAgent ?? undefined)?.replaceAll('%20', ' ')
  if (!text) return UNKNOWN_DEVICE
  const { browser, os, platform } = Bowser.parse(text)
  const name = OWN_NAME.exec(text)?.[1] ?? (BROWSERS.has(browser.name) ? browser.name : undefined)
  const plainName = name && (PLAIN_NAMES.get(name) ?? withoutLinkLikeText(name))
  const system = os.name === 'iOS' ? (platform.model ?? 'iOS') : (os.name ?? appleSystem(text))
  if (!system || platform.type === 'bot') return plainName ?? UNKNOWN_DEVICE
  return `${plainName ?? 'App'} on ${system}`
}

/**
 * Mail programs turn long numbers, and anything that looks like a domain, into links; attackers could use our
 * mails to lead people anywhere.
 */
function withoutLinkLikeText(name: string): string {
  return (
    name
      .replace(/[._]+/g, ' ')
      .replace(/\d{4,}/g, '')
      .replace(/ +/g, ' ')
      .trim() || UNKNOWN_DEVICE
  )
}

/** Apps send this where browsers name the device; iPhones and Macs both say Darwin. */
function appleSystem(text: string): string | undefined {
  if (/\biOS\b/.test(text)) return 'iOS'
  return /\bDarwin\//.test(text) ? 'an Apple device' : undefined
}

/** Part of a regular expression: an id exactly as we issue it, byte for byte. */
export const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
export const UUID_PATTERN = new RegExp(`^${UUID}$`)

export function isId(text: string): boolean {
  return UUID_PATTERN.test(text)
}

/** A malformed id is `NOT_FOUND` (404), like an unknown one. */
@Injectable()
export class IdInPath implements PipeTransform<string, string> {
  transform(text: string): string {
    if (!isId(text)) throw new ApiError('NOT_FOUND')
    return text
  }
}
