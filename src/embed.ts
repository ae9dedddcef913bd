// What was decided here, and why: docs/decisions/mainstay-runs-inside-another-program.md
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '@mainstay-auth/verify'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { FastifyInstance } from 'fastify'
import { createApp } from './app.js'
import { Readiness } from './health/health.controller.js'
import { type GivenSettings, type SettingName, settingsFrom } from './platform/config/read-settings.js'
import { MAILS_TO_LOG } from './platform/config/readers.js'
import { Settings } from './platform/config/settings.js'
import { ApiError, unavailable } from './platform/errors/api-error.js'
import { refuseRequest } from './platform/http/edge/edge.js'
import type { LogDestination } from './platform/http/edge/log.js'
import { Clock } from './platform/time.js'
import { asSessionId, handleOf } from './sessions/session.js'
import { presentedCookies, sessionIdsOfSeveral } from './sessions/session-cookie.js'
import { SessionStore } from './sessions/session-store.js'
import { SessionTerms } from './sessions/sessions.js'

export { type GivenSettings, type SettingName, SettingsError } from './platform/config/read-settings.js'

/** One or more plain segments, without a trailing slash. */
const PREFIX = /^(\/[\w.~-]+)+$/
/** Scheme and host of a target in absolute form (RFC 9112 §3.2.2). */
const SCHEME_AND_HOST = /^https?:\/\/[^/?#]*/i

/** Methods for which Fastify reads no body. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** How long close() waits for requests in progress; our own take at most 10 s. */
const FINISH_MS = 12_000

export interface MainstayOptions {
  /**
   * The path under which Mainstay is mounted in the surrounding program, such as `/auth`. Omit it if that
   * program strips the path from the URL itself.
   */
  readonly prefix?: string
  /** Where log lines go, each a JSON object; standard output by default. */
  readonly log?: LogDestination
}

/** A Mainstay that runs inside another program. */
export interface Mainstay {
  /**
   * Serves a request of Node's HTTP server; call it before anything has read the body. A request whose path
   * is not under the prefix is passed to `next`; without `next` it is answered 404.
   */
  readonly handler: (request: IncomingMessage, response: ServerResponse, next?: () => void) => void
  /**
   * Who the session cookie of a request to your own pages stands for, to render them; null for nobody. It asks the
   * database each time, so permissions are the current ones and an ended session is nobody's; it renews nothing. The
   * cookie alone allows no change: a request that another site may have caused, such as a form there, stands for
   * nobody. Throws an error with `status` 503 where the database does not answer.
   */
  readonly sessionOf: (request: CookieRequest) => Promise<Caller | null>
  /** Finishes requests in progress, then stops the jobs and closes the stores. Safe to repeat. */
  readonly close: () => Promise<void>
}

/** A request of Node, or of a framework on it. */
export interface CookieRequest {
  readonly method?: string | undefined
  readonly headers: IncomingHttpHeaders
}

/**
 * Starts Mainstay inside another program. Resolves when it is ready to serve: its stores are reachable and up
 * to date. With `NODE_ENV: 'development'` no other setting is needed; in production, which is the default, all
 * are. Throws a `SettingsError` that lists every fault in the settings, or an Error when a store is
 * unreachable; then nothing is left running. The environment is not read; to use it, pass
 * `{ ...process.env }`.
 */
export async function createMainstay(
  settings: GivenSettings,
  { prefix = '', log = process.stdout }: MainstayOptions = {},
): Promise<Mainstay> {
  requirePrefix(prefix)
  // Connections, and with them TLS, belong to the other program, and so do the paths beside ours.
  const read = settingsFrom({ ...settings, ...defaultsBeside(settings, prefix) })
  const app = await createApp({ ...read, tls: null, pages: [] }, new Clock(), log)
  const mount = new Mount(await readyServer(app), prefix)
  let closed: Promise<void> | undefined
  const close = async () => {
    app.get(Readiness).stop()
    await mount.close(FINISH_MS)
    await app.close()
  }
  return {
    handler: (request, response, next) => mount.handle(request, response, next),
    sessionOf: request => sessionOf(request, app),
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

/** What need not be said on a developer's machine, where the program listens on PORT. */
function defaultsBeside(given: GivenSettings, prefix: string): GivenSettings {
  const isGiven = (name: SettingName) => given[name] !== undefined && given[name] !== ''
  if (!isGiven('NODE_ENV') || String(given.NODE_ENV).trim() === 'production') return {}
  return {
    ...(!isGiven('PUBLIC_URL') && { PUBLIC_URL: `http://localhost:${given.PORT || 3000}${prefix}` }),
    ...(!isGiven('SIGN_UP') && { SIGN_UP: true }),
    ...(!isGiven('SMTP_URL') && !isGiven('MAIL_FROM') && MAILS_IN_DEVELOPMENT),
  }
}

const MAILS_IN_DEVELOPMENT = { SMTP_URL: MAILS_TO_LOG, MAIL_FROM: 'Mainstay <no-reply@localhost>' }

/** Fastify prepares its router when it starts to listen, which it never does here. */
async function readyServer(app: NestFastifyApplication): Promise<FastifyInstance> {
  const server: FastifyInstance = app.getHttpAdapter().getInstance()
  try {
    await server.ready()
    return server
  } catch (error) {
    await app.close()
    throw error
  }
}

/** Throws a TypeError unless it is empty or a path such as `/auth`. */
function requirePrefix(prefix: string): void {
  if (prefix !== '' && !PREFIX.test(prefix))
    throw new TypeError(`prefix must be a path such as /auth, without a slash at the end, not "${prefix}"`)
}

/**
 * What a refresh with the cookie would say, without a token. Like a refresh, it heeds several cookies only where one of
 * them alone is live.
 */
async function sessionOf(request: CookieRequest, app: NestFastifyApplication): Promise<Caller | null> {
  const { mainOrigin } = app.get(Settings)
  const cookies = presentedCookies(request)
  if (cookies.length === 0 || !isOfItsUser(request, mainOrigin)) return null
  const [only] = cookies
  const sessionIds = cookies.length === 1 ? [asSessionId(only as string)] : sessionIdsOfSeveral(cookies)
  const handles = sessionIds.flatMap(sessionId => (sessionId ? [handleOf(sessionId)] : []))
  const now = app.get(Clock).now()
  const found = await Promise.all(handles.map(handle => app.get(SessionStore).find(handle, now)))
  const [session, ...others] = found.filter(each => each?.source === 'main')
  if (!session || others.length > 0) return null
  const caller = app.get(SessionTerms).callerOf(session)
  const { userId, accountId, sid, source, clientId, permissions, authTime, amr, acr } = caller
  return { userId, accountId, sid, source, clientId, permissions, authTime, amr, acr }
}

/**
 * Whether the browser sends this because of its user or of a page of the main site: SameSite=Lax lets other hosts of
 * the same site cause any request with the cookie. A link there leads here like any other, but only as a page of its
 * own. Browsers say where a request comes from (Fetch Metadata); the oldest only say it, as Origin, of what is not a GET.
 */
function isOfItsUser({ method = 'GET', headers }: CookieRequest, mainOrigin: string): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  const { origin, 'sec-fetch-site': from, 'sec-fetch-mode': mode, 'sec-fetch-dest': what } = headers
  if (origin !== undefined && origin !== mainOrigin) return false
  if (from === undefined) return isRead || origin === mainOrigin
  if (from === 'same-origin' || from === 'none') return true
  return isRead && mode === 'navigate' && what === 'document'
}

/** Serves the requests that another program's server has received. */
class Mount {
  private readonly inProgress = new Set<ServerResponse>()
  private isClosing = false
  private onIdle = () => {}

  /** `server` is ready but does not listen. */
  constructor(
    private readonly server: FastifyInstance,
    private readonly prefix: string,
  ) {}

  /**
   * Answers a request whose path is under the prefix. Others are passed to `next`, or answered 404 if there
   * is none.
   */
  handle(request: IncomingMessage, response: ServerResponse, next?: () => void): void {
    const target = request.url ?? ''
    const rest = this.prefix === '' ? target : withoutPrefix(target, this.prefix)
    if (rest === null && next) {
      next()
      return
    }
    if (rest !== null) rewriteUrl(request, rest)
    const refusal = this.refusalOf(request, rest)
    if (refusal) refuseRequest(request, refusal)
    this.track(response)
    removeHostCorsHeaders(response)
    this.server.routing(request, response)
  }

  /** From now on requests are answered 503. Resolves when those in progress are done, or after `limitMs`. */
  async close(limitMs: number): Promise<void> {
    this.isClosing = true
    if (this.inProgress.size === 0) return
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, limitMs)
      this.onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  private refusalOf(request: IncomingMessage, rest: string | null): ApiError | undefined {
    if (rest === null) return new ApiError('NOT_FOUND')
    if (this.isClosing) return unavailable('NOT_READY')
    return hostFaultOf(request)
  }

  private track(response: ServerResponse): void {
    // The client may have left while the host was busy; there will be no further event for that.
    if (response.destroyed) return
    this.inProgress.add(response)
    response.once('close', () => {
      this.inProgress.delete(response)
      if (this.inProgress.size === 0) this.onIdle()
    })
  }
}

/** As frameworks do when they mount something: the original URL stays in `originalUrl`. */
function rewriteUrl(request: IncomingMessage & { originalUrl?: string | undefined }, target: string): void {
  request.originalUrl ??= request.url
  request.url = target
}

/** The host may allow origins to read its own responses that must not read ours. */
function removeHostCorsHeaders(response: ServerResponse): void {
  for (const name of response.getHeaderNames())
    if (name.startsWith('access-control-')) response.removeHeader(name)
}

/** The request target without the path prefix; null when its path is not under the prefix. */
function withoutPrefix(target: string, prefix: string): string | null {
  const path = target.replace(SCHEME_AND_HOST, '')
  if (!path.startsWith(prefix)) return null
  const rest = path.slice(prefix.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : null
}

/**
 * Why this request from the host's server cannot be served, for the developer who mounted us there; undefined
 * when it can.
 */
function hostFaultOf(request: IncomingMessage): ApiError | undefined {
  if (request.httpVersionMajor !== 1)
    return new ApiError('INTERNAL_ERROR', {
      detail: 'Mainstay serves HTTP/1.1 only: let the proxy in front of it speak HTTP/2',
    })
  // Waiting for the end of a body that has already ended would never finish.
  const isBodyRead = request.readableDidRead || request.readableEnded
  if (isBodyRead && !WITHOUT_BODY.has(request.method ?? ''))
    return new ApiError('INTERNAL_ERROR', {
      detail: 'The body of this request was read before it got here: mount Mainstay before the body parser',
    })
  return undefined
}
