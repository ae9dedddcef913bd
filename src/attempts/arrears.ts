import type { Counted } from './count.js'

/** So many to add to a counter that ends then. */
interface Owed {
  readonly points: number
  /** Milliseconds of the process clock. */
  readonly endsAt: number
}

/**
 * What was counted while Redis did not answer. It is told when it does, or every short silence would be guesses for free.
 */
export class Arrears {
  private readonly owed = new Map<string, Owed>()

  add(counted: readonly Counted[]): void {
    const now = performance.now()
    for (const { key, windowSeconds } of counted) {
      const before = this.owed.get(key)
      if (before) this.owed.set(key, { ...before, points: before.points + 1 })
      else this.owed.set(key, { points: 1, endsAt: now + windowSeconds * 1000 })
    }
  }

  /** Takes one off each. */
  takeOff(keys: readonly string[]): void {
    for (const key of keys) {
      const before = this.owed.get(key)
      if (before && before.points > 1) this.owed.set(key, { ...before, points: before.points - 1 })
      else this.owed.delete(key)
    }
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.owed.delete(key)
  }

  /** Tells everything that has not ended to `tell`, and owes it again when that fails. */
  async settle(
    tell: (key: string, points: number, windowSeconds: number) => Promise<unknown>,
  ): Promise<void> {
    const now = performance.now()
    const owed = [...this.owed].filter(([, { endsAt }]) => endsAt > now)
    this.owed.clear()
    try {
      await Promise.all(
        owed.map(([key, { points, endsAt }]) => tell(key, points, Math.ceil((endsAt - now) / 1000))),
      )
    } catch (error) {
      for (const [key, one] of owed) this.owed.set(key, one)
      throw error
    }
  }
}
