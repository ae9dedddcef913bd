import Stripe from 'stripe'
import { unixSeconds } from '../../clock/clock.js'
import { ApiError } from '../../errors/api-error.js'

/** Stripe's own tolerance against replays. Its library does not check for times in the future; we do. */
const TOLERANCE_SECONDS = 300

/**
 * The event of a signed body; throws `INVALID_SIGNATURE` (400) unless one of our secrets signed these bytes
 * within 300 s of `now`. There are several secrets while endpoints of two API versions, or an old and a new
 * secret, are in use.
 */
export function verifiedEvent(
  body: Buffer,
  signature: string,
  secrets: readonly string[],
  now: Date,
): Stripe.Event {
  const signedAt = Number(/(?:^|,)t=(\d+)(?:,|$)/.exec(signature)?.[1] ?? Number.NaN)
  if (!(signedAt <= unixSeconds(now) + TOLERANCE_SECONDS)) throw new ApiError('INVALID_SIGNATURE')
  let cause: unknown
  for (const secret of secrets)
    try {
      return Stripe.webhooks.constructEvent(
        body,
        signature,
        secret,
        TOLERANCE_SECONDS,
        undefined,
        now.getTime(),
      )
    } catch (error) {
      cause = error
    }
  throw new ApiError('INVALID_SIGNATURE', { cause })
}
