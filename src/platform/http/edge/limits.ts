import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import type { Settings } from '../../config/settings.js'
import { ApiError } from '../../errors/api-error.js'
import { Throttle } from '../../time.js'
import { clientNetworkOf } from '../request.js'

/** Enough for every body that we accept, and little more (OWASP REST: limit the request size). */
export const MAX_BODY_BYTES = 16 * 1024
/** Up to this size a body is still read, to distinguish non-JSON (400) from too large (413). */
export const MAX_READ_BODY_BYTES = 2 * MAX_BODY_BYTES
/** Stripe's events contain whole objects. */
export const MAX_WEBHOOK_BODY_BYTES = 1024 * 1024
/** Our bodies have one level, Stripe's events about ten. */
export const MAX_JSON_DEPTH = 32
/** Node's own default, stated here so that it stays; more is 431. */
export const MAX_HEADER_BYTES = 16 * 1024
/** Longer than any URL that we issue; more is 414. */
export const MAX_URL_LENGTH = 8 * 1024
/**
 * Against slowloris: time limits for the headers and for the whole request, and how often they are checked.
 */
export const HEADERS_TIMEOUT_MS = 10_000
export const REQUEST_TIMEOUT_MS = 15_000
export const CONNECTIONS_CHECK_MS = 1_000
/**
 * How long a request may be idle: otherwise a client that does not read its response would keep a connection forever.
 * Longer than our slowest response takes to start.
 */
export const INACTIVITY_MS = 60_000
/** How long a client may go on sending what has already been refused, before its connection is closed. */
export const LINGER_MS = 2_000
/** Longer than the idle timeout of the usual load balancers (60 s), so that they close first. */
export const KEEP_ALIVE_MS = 65_000

/** Descriptors for stores, logs, files and the provider. */
const KEPT_DESCRIPTORS = 256
/** Many connections are refused at once; one log line is enough. */
const LOG_EVERY_MS = 10_000
/** What one client network may have of MAX_CONNECTIONS. Many people may share an address. */
const NETWORK_SHARE = 0.1
/** However small its share is: a browser opens six. */
const MIN_PER_NETWORK = 16

/**
 * Closes new connections at once while MAX_CONNECTIONS are open, or while their network has its share of them, and
 * logs it. Also logs when the system allows fewer. All that comes through a proxy comes from one network, so none is
 * counted where a proxy is trusted.
 */
export function limitConnections(
  server: Server,
  { operation: { maxConnections: max }, trustProxy }: Pick<Settings, 'operation' | 'trustProxy'>,
  log: FastifyBaseLogger,
): void {
  const allowed = Math.max(1, openFilesLimit() - KEPT_DESCRIPTORS)
  if (allowed < max)
    log.warn(
      `MAX_CONNECTIONS is ${max}, but this process may have only ${allowed}; raise its limit of open files`,
    )
  server.maxConnections = Math.min(max, allowed)
  const errorLines = new Throttle(LOG_EVERY_MS)
  server.on('drop', () => {
    if (errorLines.take())
      log.error(`New connections are refused: ${server.maxConnections} are open (MAX_CONNECTIONS)`)
  })
  if (trustProxy.length === 0)
    limitNetworks(server, Math.max(MIN_PER_NETWORK, Math.floor(server.maxConnections * NETWORK_SHARE)), log)
}

/** Otherwise one client could have all connections, and keep them. */
function limitNetworks(server: Server, max: number, log: FastifyBaseLogger): void {
  const open = new Tally()
  const warnings = new Throttle(LOG_EVERY_MS)
  server.on('connection', (socket: Socket) => {
    const network = clientNetworkOf(socket.remoteAddress ?? '')
    if (open.of(network) >= max) {
      socket.destroy()
      if (warnings.take())
        log.warn(`New connections from ${network} are refused: it has its share of MAX_CONNECTIONS, ${max}`)
      return
    }
    open.add(network)
    socket.once('close', () => open.remove(network))
  })
}

/** How many there are of each key. Keeps nothing of keys of which there are none. */
export class Tally {
  private readonly counts = new Map<string, number>()

  of(key: string): number {
    return this.counts.get(key) ?? 0
  }

  add(key: string): void {
    this.counts.set(key, this.of(key) + 1)
  }

  remove(key: string): void {
    const left = this.of(key) - 1
    if (left > 0) this.counts.set(key, left)
    else this.counts.delete(key)
  }
}

/** How many requests of one connection may wait for their responses. No client of ours sends more than one at a time. */
const MAX_PIPELINED = 16
/** Requests in progress, by connection. */
const inProgress = new WeakMap<Socket, number>()

/**
 * Counts a request that has arrived. From the seventeenth on that a connection sends without waiting for a response,
 * it is refused as `TOO_MANY_ATTEMPTS`, with which the connection ends, and nothing more is read from that: Node
 * answers everything that has arrived on one connection before it looks at the others.
 */
export function refusalOfPipelined({ socket }: IncomingMessage): ApiError | null {
  const count = (inProgress.get(socket) ?? 0) + 1
  inProgress.set(socket, count)
  if (count <= MAX_PIPELINED) return null
  socket.pause()
  return new ApiError('TOO_MANY_ATTEMPTS', { headers: { Connection: 'close' } })
}

/** The response to a request that was counted is done. */
export function requestDone({ socket }: IncomingMessage): void {
  const count = inProgress.get(socket)
  if (count) inProgress.set(socket, count - 1)
}

/** Infinity where the system does not say. */
function openFilesLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const soft = /^Max open files +(\d+)/m.exec(limits)?.[1]
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
