import Stripe from 'stripe'
import { unixSeconds } from '../clock/clock.js'
import { ApiError } from '../errors/api-error.js'

/** Stripe's own tolerance against replays; its library does not look at the future, we do. */
const TOLERANCE_SECONDS = 300

/** The event of a signed body; throws `INVALID_SIGNATURE` (400) unless our secret signed these bytes within 300 s of `now`. */
export function verifiedEvent(body: Buffer, signature: string, secret: string, now: Date): Stripe.Event {
  const signedAt = Number(/(?:^|,)t=(\d+)(?:,|$)/.exec(signature)?.[1] ?? Number.NaN)
  if (!(signedAt <= unixSeconds(now) + TOLERANCE_SECONDS)) throw new ApiError('INVALID_SIGNATURE')
  try {
    return Stripe.webhooks.constructEvent(
      body,
      signature,
      secret,
      TOLERANCE_SECONDS,
      undefined,
      now.getTime(),
    )
  } catch (cause) {
    throw new ApiError('INVALID_SIGNATURE', { cause })
  }
}
