import type { RedisClientType } from 'redis'

const EVERY_MS = 1_000
/** Well above what a busy server takes, and soon enough for a cluster that has found a new master meanwhile. */
const PATIENCE_MS = 2_000

/**
 * Puts clients whose server no longer answers on a new connection. A socket's own timeout cannot tell: it starts
 * again with every command that we write. Returns what ends the watch.
 */
export function watchConnections(clients: () => readonly RedisClientType[]): () => void {
  const timer = setInterval(() => {
    for (const client of clients()) if (client.isReady) expectAnswer(client)
  }, EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** A new connection to the same address; nothing while the client is already looking for one. */
export function reconnect(client: RedisClientType): void {
  if (!client.isReady) return
  client.destroy()
  client.connect().catch(() => {
    // It tries until it is closed.
  })
}

function expectAnswer(client: RedisClientType): void {
  const timer = setTimeout(() => reconnect(client), PATIENCE_MS).unref()
  client
    .ping()
    .catch(() => {
      // The connection was lost, which the client sees to itself.
    })
    .finally(() => clearTimeout(timer))
}
