import type { Client } from './client.js'
import { errorOf } from './mainstay-error.js'
import type { Operations } from './operations.js'

export type * from './operations.js'

/** As long as `client.fetch` waits for an answer to begin. */
const TIMEOUT_MS = 20_000
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
type Method = (typeof METHODS)[number]

/** The paths of the service that have this method. */
export type PathOf<M extends Method> = keyof Operations[M]

interface Common {
  readonly signal?: AbortSignal
  /** For public endpoints: sends no token, so no user needs to be logged in. */
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
 * `fetch` throws when the network is down. Unless you pass a signal, it fails with a `TimeoutError` when no
 * response has started after 20 seconds, or JSON has not arrived after as long again. `client` may also be
 * `{ ...client, fetch }` with a `fetch` from `repeatAfterProof`. `send` makes the anonymous calls, by default the
 * platform's `fetch`.
 */
export function typedApi(
  client: Pick<Client, 'baseUrl' | 'fetch'>,
  send: typeof fetch = (...request) => fetch(...request),
): Api {
  const calls = METHODS.map(method => [
    method,
    (path: string, options?: AnyOptions) => call(client, send, method, path, options),
  ])
  return Object.fromEntries(calls) as Api
}

async function call(
  client: Pick<Client, 'baseUrl' | 'fetch'>,
  send: typeof fetch,
  method: Method,
  path: string,
  { path: named = {}, query = {}, body, signal, anonymous }: AnyOptions = {},
): Promise<unknown> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => segmentOf(named[name]))
  // Without URLSearchParams: older versions of React Native take no pairs.
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(String(value))}`,
  )
  const url = `${client.baseUrl}${filled}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`
  const init: RequestInit = {
    method: method.toUpperCase(),
    ...(signal && { signal }),
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }
  if (anonymous)
    return inTime(own => send(url, { credentials: 'omit', signal: own, ...init }).then(read), signal)
  const answer = await client.fetch(url, init)
  return inTime(() => read(answer), signal)
}

/** As one segment of a path. Dots, even encoded ones, and nothing at all would lead to another operation. */
function segmentOf(value: unknown): string {
  const text = encodeURIComponent(String(value))
  if (/^\.*$/.test(text)) throw new TypeError(`"${text}" is not an id`)
  return text
}

/** What the service says; throws its refusal. */
async function read(answer: Response): Promise<unknown> {
  if (!answer.ok) throw await errorOf(answer)
  const type = answer.headers.get('Content-Type')
  if (type === null) return null
  return type.startsWith('application/json') ? answer.json() : answer
}

/**
 * Fails with a `TimeoutError` when this takes too long, as with a body that stalls. Not where the caller passes
 * a signal: then that one decides.
 */
async function inTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal) return work(signal)
  // React Native has no AbortSignal.timeout.
  const patience = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = Object.assign(new Error('No answer'), { name: 'TimeoutError' })
      patience.abort(error)
      reject(error)
    }, TIMEOUT_MS)
  })
  return Promise.race([work(patience.signal), late]).finally(() => clearTimeout(timer))
}
