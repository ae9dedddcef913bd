import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'

/** Stores, logs, files and the provider need descriptors too. */
const KEPT_DESCRIPTORS = 256
/** While connections are refused there are many; one line says it. */
const LOG_EVERY_MS = 10_000

/** From `max` open connections on, new ones are closed at once. Says so in the log, and when the system allows fewer. */
export function limitConnections(server: Server, max: number, log: FastifyBaseLogger): void {
  const allowed = Math.max(1, openFilesLimit() - KEPT_DESCRIPTORS)
  if (allowed < max)
    log.warn(`MAX_CONNECTIONS is ${max}, but the system allows this process ${allowed}: raise its open files`)
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
