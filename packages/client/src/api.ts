import type { Client } from './client.js'
import { errorOf } from './http/mainstay-error.js'
import type { Operations } from './operations.js'

export type * from './operations.js'

/** The same as `client.fetch`. */
const TIMEOUT_MS = 20_000
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
type Method = (typeof METHODS)[number]

/** The paths of the service that have this method. */
export type PathOf<M extends Method> = keyof Operations[M]

interface Common {
  readonly signal?: AbortSignal
  /** For public endpoints: sends no token, so nobody needs to be logged in. */
  readonly anonymous?: boolean
}

/** What an operation takes. */
export type OptionsOf<O> = Omit<O, 'answer'> & Common

/** An operation's result: its parsed JSON, null where there is no body, the Response itself for anything else. */
export type AnswerOf<O> = O extends { answer: infer A } ? A : never

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...options: object extends OptionsOf<Operations[M][P]>
    ? [OptionsOf<Operations[M][P]>?]
    : [OptionsOf<Operations[M][P]>]
) => Promise<AnswerOf<Operations[M][P]>>

/** Every operation of docs/openapi.json, by method and path. */
export type Api = { readonly [M in Method]: Call<M> }

interface AnyOptions extends Common {
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/**
 * Typed calls to the service. Each throws a {@link MainstayError} when the service refuses, and whatever
 * `fetch` throws when the network is down. `client` may also be `{ ...client, fetch }` with a `fetch` from
 * `repeatAfterProof`.
 */
export function typedApi(client: Pick<Client, 'baseUrl' | 'fetch'>): Api {
  const calls = METHODS.map(method => [
    method,
    (path: string, options?: AnyOptions) => call(client, method, path, options),
  ])
  return Object.fromEntries(calls) as Api
}

async function call(
  client: Pick<Client, 'baseUrl' | 'fetch'>,
  method: Method,
  path: string,
  { path: named = {}, query = {}, body, signal, anonymous }: AnyOptions = {},
): Promise<unknown> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(named[name])))
  // Without URLSearchParams: older versions of React Native take no pairs.
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(String(value))}`,
  )
  const url = `${client.baseUrl}${filled}${asked.length > 0 ? `?${asked.join('&')}` : ''}`
  const init: RequestInit = {
    method: method.toUpperCase(),
    ...(signal && { signal }),
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }
  const answer = await (anonymous ? fetchAnonymously(url, init) : client.fetch(url, init))
  if (!answer.ok) throw await errorOf(answer)
  const type = answer.headers.get('Content-Type')
  if (type === null) return null
  return type.startsWith('application/json') ? answer.json() : answer
}

async function fetchAnonymously(url: string, init: RequestInit): Promise<Response> {
  const sent: RequestInit = { ...init, credentials: 'omit' }
  if (init.signal) return await fetch(url, sent)
  // React Native has no AbortSignal.timeout.
  const patience = new AbortController()
  const expire = () => patience.abort(Object.assign(new Error('No answer'), { name: 'TimeoutError' }))
  const timer = setTimeout(expire, TIMEOUT_MS)
  try {
    return await fetch(url, { ...sent, signal: patience.signal })
  } finally {
    clearTimeout(timer)
  }
}
