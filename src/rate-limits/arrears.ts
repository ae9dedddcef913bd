import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import type { Counted } from './count.js'

/**
 * What the others still have to be told about one counter: a reset, an amount to add or take off, or both.
 */
interface Debt {
  readonly isForgotten: boolean
  /** Negative: to be taken off. */
  readonly points: number
  /** When its window ends, in milliseconds of the process clock. */
  readonly endsAt: number
}

/** Sessions share the connection, and must not wait for everything at once after a long outage. */
const MOST_AT_ONCE = 500

/**
 * What was counted or given back while Redis did not answer. Redis is told when it answers again; otherwise
 * each short silence would allow free guesses, and right ones would stay counted. What was in progress when
 * it fell silent may be counted twice.
 */
export class Arrears {
  private readonly debts = new Map<string, Debt>()
  /** Being sent; what fails is owed again. */
  private readonly underWay = new Set<string>()

  /** Adds one to what each counter owes. */
  add(counted: readonly Counted[]): void {
    this.oweEach(counted, 1)
  }

  /** Takes one off what each counter owes. */
  subtract(counted: readonly Counted[]): void {
    this.oweEach(counted, -1)
  }

  /** Whether this counter has something to add that is not being sent yet. */
  owes(key: string): boolean {
    return (this.debts.get(key)?.points ?? 0) > 0
  }

  /** Forgets what these counters owe. */
  cancel(keys: readonly string[]): void {
    for (const key of keys) {
      this.debts.delete(key)
      this.underWay.delete(key)
    }
  }

  /** Owes these counters a reset. */
  forget(keys: readonly string[]): void {
    for (const key of keys) this.owe(key, { isForgotten: true, points: 0, endsAt: Number.POSITIVE_INFINITY })
  }

  /**
   * Starts sending what is owed, in this tick, where `isAnswering` says that it arrives. What cannot be sent
   * stays owed until its window ends; the rest does not wait for it.
   */
  settle(limiter: RateLimiterAbstract, isAnswering: (key: string) => boolean): void {
    // What is being sent may still fail, and two debts of one counter could not be told apart then.
    if (this.underWay.size > 0) return
    const now = performance.now()
    for (const [key, debt] of this.debts) {
      if (this.underWay.size === MOST_AT_ONCE) return
      if (debt.endsAt <= now) this.debts.delete(key)
      else if (isAnswering(key)) this.send(limiter, key, debt)
    }
  }

  private send(limiter: RateLimiterAbstract, key: string, debt: Debt): void {
    this.debts.delete(key)
    this.underWay.add(key)
    tell(limiter, key, debt).then(
      () => this.underWay.delete(key),
      () => {
        if (this.underWay.delete(key)) this.owe(key, debt)
      },
    )
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
