import type { RedisClientType } from 'redis'
import { within } from '../time.js'

/** Well above what a busy server takes; a connection that is silent for longer is abandoned. */
const PATIENCE_MS = 2_000
/** Too long for a server that is merely busy; asking the others costs nothing. */
const SILENT_AFTER_MS = 700

/**
 * Finds servers that accept connections but do not answer, and makes our clients reconnect. A socket's own
 * timeout cannot do this: every command that we write restarts it.
 */
export class ConnectionWatch {
  /** Since when we have been waiting for an answer. */
  private readonly waiting = new Map<RedisClientType, number>()

  /**
   * Call it every second. False while an answer is overdue or there is no connection. `onInfo` gets the
   * server and replication sections of INFO.
   */
  expectAnswer(client: RedisClientType, onInfo: (info: string) => void): boolean {
    if (!client.isReady) {
      this.waiting.delete(client)
      return false
    }
    const since = this.waiting.get(client)
    if (since !== undefined) return performance.now() - since < SILENT_AFTER_MS
    void this.ask(client, onInfo)
    return true
  }

  private async ask(client: RedisClientType, onInfo: (info: string) => void): Promise<void> {
    const since = performance.now()
    this.waiting.set(client, since)
    try {
      onInfo(String(await within(PATIENCE_MS, client.sendCommand(['INFO', 'server', 'replication']))))
    } catch {
      // The client itself handles a lost connection.
      if (performance.now() - since >= PATIENCE_MS) reconnect(client)
    } finally {
      this.waiting.delete(client)
    }
  }
}

/** Opens a new connection to the same address; does nothing while the client is already reconnecting. */
export function reconnect(client: RedisClientType): void {
  if (!client.isReady) return
  client.destroy()
  client.connect().catch(() => {
    // The client retries until it is closed.
  })
}
