import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import type { Counted } from './count.js'

/** What the others have not been told of one counter: that it begins anew, what to add or to take off, or both. */
interface Debt {
  readonly isForgotten: boolean
  /** Below nothing: to be taken off. */
  readonly points: number
  /** Of its window; milliseconds of the process clock. */
  readonly endsAt: number
}

/** Sessions share the connection: after a long outage they must not wait for all of it at once. */
const MOST_AT_ONCE = 500

/**
 * What was counted and given back while Redis did not answer. It is told when it does, or every short silence would be
 * guesses for free, and right ones would stay counted. What was under way when it fell silent may be counted twice then:
 * rather that than not at all.
 */
export class Arrears {
  private readonly debts = new Map<string, Debt>()
  /** Being told; what fails is owed again. */
  private readonly underWay = new Set<string>()

  /** Owes one of each. */
  add(counted: readonly Counted[]): void {
    this.oweEach(counted, 1)
  }

  /** Owes one of each less. */
  takeOff(counted: readonly Counted[]): void {
    this.oweEach(counted, -1)
  }

  /** Whether something is to be added to this counter, and nobody has begun to tell it. */
  isOwing(key: string): boolean {
    return (this.debts.get(key)?.points ?? 0) > 0
  }

  /** Nothing of these counters is owed any more. */
  cancel(keys: readonly string[]): void {
    for (const key of keys) {
      this.debts.delete(key)
      this.underWay.delete(key)
    }
  }

  /** That they begin anew. */
  forget(keys: readonly string[]): void {
    for (const key of keys) this.owe(key, { isForgotten: true, points: 0, endsAt: Number.POSITIVE_INFINITY })
  }

  /** Begins to tell what is owed, in this tick. What cannot be told stays owed; the rest does not wait for it. */
  settle(limiter: RateLimiterAbstract): void {
    // What was begun before may still fail, and two debts of one counter could not be told apart then.
    if (this.underWay.size > 0) return
    for (const [key, debt] of [...this.debts].slice(0, MOST_AT_ONCE)) {
      this.debts.delete(key)
      this.underWay.add(key)
      tell(limiter, key, debt).then(
        () => this.underWay.delete(key),
        () => {
          if (this.underWay.delete(key)) this.owe(key, debt)
        },
      )
    }
  }

  private oweEach(counted: readonly Counted[], points: number): void {
    const now = performance.now()
    for (const { key, windowSeconds } of counted)
      this.owe(key, { isForgotten: false, points, endsAt: now + windowSeconds * 1000 })
  }

  private owe(key: string, more: Debt): void {
    const before = this.debts.get(key)
    const debt = before ? together(before, more) : more
    if (debt.points === 0 && !debt.isForgotten) this.debts.delete(key)
    else this.debts.set(key, debt)
  }
}

function together(one: Debt, other: Debt): Debt {
  return {
    isForgotten: one.isForgotten || other.isForgotten,
    points: one.points + other.points,
    endsAt: Math.min(one.endsAt, other.endsAt),
  }
}

async function tell(
  limiter: RateLimiterAbstract,
  key: string,
  { isForgotten, points, endsAt }: Debt,
): Promise<void> {
  const customDuration = Math.ceil((endsAt - performance.now()) / 1000)
  const isDue = customDuration > 0
  await Promise.all([
    isForgotten && limiter.delete(key),
    isDue && points > 0 && limiter.penalty(key, points, { customDuration }),
    isDue && points < 0 && !isForgotten && limiter.reward(key, -points, { customDuration }),
  ])
}
