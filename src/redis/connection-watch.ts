import type { RedisClientType } from 'redis'

/** Well above what a busy server takes: a connection that is silent for longer is given up. */
const PATIENCE_MS = 2_000
/** Long enough that it is no busy server, and a look at the others costs nothing. */
const SILENT_AFTER_MS = 700

/**
 * Finds servers that take connections but answer nothing, and puts our clients on a new connection. A socket's own
 * timeout cannot tell: it starts again with every command that we write.
 */
export class ConnectionWatch {
  /** Since when an answer has been waited for. */
  private readonly waiting = new Map<RedisClientType, number>()

  /**
   * To be called every second; false while the server owes us an answer or the client has no connection to it. `heard`
   * gets what it answers: the server's and the replication's part of INFO.
   */
  expectAnswer(client: RedisClientType, heard: (info: string) => void): boolean {
    if (!client.isReady) {
      this.waiting.delete(client)
      return false
    }
    const since = this.waiting.get(client)
    if (since !== undefined) return performance.now() - since < SILENT_AFTER_MS
    this.ask(client, heard)
    return true
  }

  private ask(client: RedisClientType, heard: (info: string) => void): void {
    this.waiting.set(client, performance.now())
    const timer = setTimeout(() => reconnect(client), PATIENCE_MS).unref()
    client
      .sendCommand(['INFO', 'server', 'replication'])
      .then(info => heard(String(info)))
      .catch(() => {
        // The connection was lost, which the client sees to itself.
      })
      .finally(() => {
        clearTimeout(timer)
        this.waiting.delete(client)
      })
  }
}

/** A new connection to the same address; nothing while the client is already looking for one. */
export function reconnect(client: RedisClientType): void {
  if (!client.isReady) return
  client.destroy()
  client.connect().catch(() => {
    // It tries until it is closed.
  })
}
