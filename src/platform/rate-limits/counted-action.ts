import { isRefusal } from '../errors/api-error.js'
import { type Bucket, timesFullKey } from './buckets.js'
import type { Added, Counters } from './counters.js'

/** An action that was let through. Until its outcome is reported, it counts both as right and as wrong. */
export class CountedAction {
  constructor(
    private readonly counters: Counters,
    private readonly buckets: readonly Bucket[],
    private readonly added: Added,
  ) {}

  /** Combines two counts of one action; its outcome is reported once, to both. */
  and({ buckets, added }: CountedAction): CountedAction {
    const refund: Added['refund'] = async which => {
      await Promise.all([this.added.refund(which), added.refund(which)])
    }
    const counts = [...this.added.counts, ...added.counts]
    return new CountedAction(this.counters, [...this.buckets, ...buckets], { counts, refund })
  }

  /** The guess was right: resets the account's counters and takes it off those that others share. */
  async succeeded(): Promise<void> {
    await this.reset(this.keysOf(({ isOfAccount }) => isOfAccount))
  }

  /**
   * The guess was right, but more must be proved, which is counted separately. It is not counted as wrong,
   * and resets nothing: otherwise somebody who knows the password could reset the limit on guessing the rest.
   * It counts as right where it came from, but not for the account, because that would keep the user out.
   */
  async partlySucceeded(): Promise<void> {
    const left = this.keysOf(
      ({ counts, scope }) => counts === 'wrong' || (counts === 'right' && scope === 'account'),
    )
    await this.added.refund(key => left.includes(key))
  }

  /**
   * Like {@link succeeded}, after {@link partlySucceeded} has already counted this login where its first step came from.
   */
  async completed(): Promise<void> {
    const ofAccount = this.keysOf(({ isOfAccount }) => isOfAccount)
    const twice = this.keysOf(({ counts, scope }) => counts === 'right' && scope !== 'account')
    await this.reset(ofAccount, twice)
  }

  /** The guess was wrong. */
  async failed(): Promise<void> {
    const right = this.keysOf(({ counts }) => counts === 'right')
    if (right.length > 0) await this.added.refund(key => right.includes(key))
  }

  /** It was not carried out, because a component was down or busy; takes it off again. */
  refund(): Promise<void> {
    return this.added.refund()
  }

  /** Checking the guess threw: a refusal means that it was wrong, anything else that it was not checked. */
  threw(error: unknown): Promise<void> {
    return isRefusal(error) ? this.failed() : this.refund()
  }

  /**
   * Returns the result of checking a guess, which means that it was right. A rejection is reported, see
   * {@link threw}.
   */
  async checkedBy<T>(check: Promise<T>): Promise<T> {
    try {
      const checked = await check
      await this.succeeded()
      return checked
    } catch (error) {
      await this.threw(error)
      throw error
    }
  }

  /** Returns the result of `work`. If it rejects, nothing was done, and this is refunded. */
  async refundIfRejected<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      await this.refund()
      throw error
    }
  }

  private async reset(ofAccount: readonly string[], refunded: readonly string[] = []): Promise<void> {
    const wrong = this.keysOf(({ counts, isOfAccount }) => counts === 'wrong' && !isOfAccount)
    await Promise.all([
      this.counters.forget([...ofAccount, ...ofAccount.map(timesFullKey)]),
      this.added.refund(key => wrong.includes(key) || refunded.includes(key)),
    ])
  }

  private keysOf(which: (bucket: Bucket) => boolean): string[] {
    return this.buckets.filter(which).map(({ key }) => key)
  }
}
