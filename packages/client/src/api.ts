import type { Client } from './client.js'
import { errorOf } from './http/mainstay-error.js'
import type { paths } from './operations.js'

/** As that of `client.fetch`. */
const TIMEOUT_MS = 20_000
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
type Method = (typeof METHODS)[number]

/** The paths of the service that have this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { readonly [name in M]: object } ? P : never
}[keyof paths]

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never
type Parameters<O> = O extends { parameters: infer P } ? P : never

type Path<O> = Parameters<O> extends { path: infer T } ? { readonly path: T } : { readonly path?: never }
type Query<O> =
  Parameters<O> extends { query: infer T }
    ? { readonly query: T }
    : Parameters<O> extends { query?: infer T }
      ? { readonly query?: T }
      : { readonly query?: never }
type Body<O> = O extends { requestBody: infer T }
  ? { readonly body: Json<T> }
  : O extends { requestBody?: infer T }
    ? { readonly body?: Json<NonNullable<T>> }
    : { readonly body?: never }

interface Common {
  readonly signal?: AbortSignal
  /** For what the service tells anybody: without the token, so that nobody has to be logged in. */
  readonly anonymous?: boolean
}

/** What an operation takes. */
export type OptionsOf<O> = Path<O> & Query<O> & Body<O> & Common

/** What an operation answers: its parsed JSON; null where it has no body; the Response itself for anything else. */
export type AnswerOf<O> = O extends { responses: infer R }
  ? { [S in keyof R]: R[S] extends { content: infer C } ? ContentOf<C> : null }[keyof R]
  : never
type ContentOf<C> = C extends { 'application/json': infer T }
  ? T
  : [C] extends [never | undefined]
    ? null
    : Response

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...options: object extends OptionsOf<paths[P][M]> ? [OptionsOf<paths[P][M]>?] : [OptionsOf<paths[P][M]>]
) => Promise<AnswerOf<paths[P][M]>>

/** Every operation of docs/openapi.json, by method and path. */
export type Api = { readonly [M in Method]: Call<M> }

interface AnyOptions extends Common {
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/**
 * Typed calls of the service. Each throws a {@link MainstayError} for a refusal and, without a network, what `fetch`
 * throws. `client` may also be `{ ...client, fetch }` with a `fetch` of `repeatAfterProof`.
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
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  const url = `${client.baseUrl}${filled}${asked.length > 0 ? `?${new URLSearchParams(asked)}` : ''}`
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

function fetchAnonymously(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), ...init, credentials: 'omit' })
}
