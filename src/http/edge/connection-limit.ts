import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'

/** Descriptors for stores, logs, files and the provider. */
const KEPT_DESCRIPTORS = 256
/** Many connections are refused at once; one line is enough. */
const LOG_EVERY_MS = 10_000

/**
 * Closes new connections at once when `max` are open, and logs it. Also logs when the system allows fewer.
 */
export function limitConnections(server: Server, max: number, log: FastifyBaseLogger): void {
  const allowed = Math.max(1, openFilesLimit() - KEPT_DESCRIPTORS)
  if (allowed < max)
    log.warn(
      `MAX_CONNECTIONS is ${max}, but this process may have only ${allowed}; raise its limit of open files`,
    )
  server.maxConnections = Math.min(max, allowed)
  let lastLogAt = Number.NEGATIVE_INFINITY
  server.on('drop', () => {
    if (performance.now() - lastLogAt < LOG_EVERY_MS) return
    lastLogAt = performance.now()
    log.error(`New connections are refused: ${server.maxConnections} are open (MAX_CONNECTIONS)`)
  })
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
