import { createHmac } from 'node:crypto'

/** How the signature of an event differs from a good one. */
export interface SignatureDeviation {
  /** The whole header. */
  raw?: string
  /** `now`, `now-<seconds>` or any text. */
  t?: string
  /** `v1` unless told. */
  scheme?: string
  /** One more element before the good signature. */
  extraBefore?: string
  /** Hexadecimal digits in upper case. */
  upper?: boolean
  /** The body names its `id` twice. */
  dupKey?: boolean
  /** So many more bytes of body. */
  pad?: number
  /** Another endpoint's secret. */
  secret?: string
}

export interface SignedEvent {
  /** The bytes that are signed. */
  body: string
  signature: string
}

const KNOWN: ReadonlySet<string> = new Set<keyof SignatureDeviation>([
  ...(['raw', 't', 'scheme', 'extraBefore', 'upper', 'dupKey', 'pad', 'secret'] as const),
])

/** The event as the provider would send it, but for the deviation. Source: https://docs.stripe.com/webhooks/signature. */
export function signedEvent(event: object, deviation: SignatureDeviation, secret: string): SignedEvent {
  const unknown = Object.keys(deviation).filter(name => !KNOWN.has(name))
  if (unknown.length > 0) throw new Error(`The runner does not know these deviations: ${unknown}`)
  const { raw, t = 'now', scheme = 'v1', extraBefore, upper } = deviation
  const body = bodyOf(event, deviation)
  if (raw !== undefined) return { body, signature: raw }
  const time = timeOf(t)
  const hex = createHmac('sha256', deviation.secret ?? secret)
    .update(`${time}.${body}`)
    .digest('hex')
  const good = `${scheme}=${upper ? hex.toUpperCase() : hex}`
  return { body, signature: [`t=${time}`, extraBefore, good].filter(Boolean).join(',') }
}

function bodyOf(event: object, { dupKey, pad }: SignatureDeviation): string {
  const text = JSON.stringify(pad ? { ...event, pad: 'x'.repeat(pad) } : event)
  return dupKey ? text.replace('{', '{"id":"evt_first",') : text
}

function timeOf(t: string): string {
  const [, seconds] = /^now(?:-(\d+))?$/.exec(t) ?? []
  return t.startsWith('now') ? String(Math.floor(Date.now() / 1000) - Number(seconds ?? 0)) : t
}
