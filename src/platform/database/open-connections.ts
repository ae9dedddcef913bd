/** What has to be closed again when the start fails. */
interface Closable {
  onApplicationShutdown(): void | Promise<void>
}

/**
 * The connections of a service that is starting. Nest loses track of what it has opened when a start fails
 * half-way.
 */
export class OpenConnections {
  private readonly opening: Promise<Closable>[] = []
  private readonly closing = new AbortController()

  /** Aborts when there is no point in waiting for a server any longer. */
  get signal(): AbortSignal {
    return this.closing.signal
  }

  track<T extends Closable>(opening: Promise<T>): Promise<T> {
    this.opening.push(opening)
    return opening
  }

  /** Closes everything, including what is still being opened. */
  async close(): Promise<void> {
    this.closing.abort()
    await Promise.allSettled(this.opening.map(async one => (await one).onApplicationShutdown()))
  }
}
