/** How long to leave a shard alone after it failed to answer, so that not every request waits for it. */
const PAUSE_MS = 1_000

/** The shards of a Redis that have failed to answer and have not answered since. Null is for keys that no shard has. */
export class SilentShards {
  /** When to ask each again, by performance.now(). */
  private readonly askAt = new Map<string | null, number>()

  has(shard: string | null): boolean {
    return this.askAt.has(shard)
  }

  /** To be called when a shard did not answer. */
  add(shard: string | null): void {
    this.askAt.set(shard, performance.now() + PAUSE_MS)
  }

  /** To be called when it did. */
  delete(shard: string | null): void {
    this.askAt.delete(shard)
  }

  /** Whether not to ask the shard now. After each pause, the first who asks may try again, and others need not wait with them. */
  isLeftAlone(shard: string | null): boolean {
    const askAt = this.askAt.get(shard)
    if (askAt === undefined) return false
    if (performance.now() < askAt) return true
    this.add(shard)
    return false
  }
}
