import { seatWords } from '../../../../pieces/billing/plans.js'
import type { Subscription } from '../../../../pieces/billing/subscription.js'
import { useLoad } from '../../../../pieces/loading/use-load.js'
import { Hint } from '../../../../pieces/notices/notice.js'
import { call } from '../../../api.js'
import { readPlans } from '../../../payment/checkout.js'

/** What another person in the team costs, and how many there may be. Without an answer, inviting works all the same. */
export function SeatNotice() {
  const subscription = useLoad(() => call<Subscription>('GET', 'subscription')).data
  const plans = useLoad(readPlans).data
  const words = subscription ? seatWords(subscription, plans ?? []) : []
  return words.length === 0 ? null : <Hint>{words.join(' ')}</Hint>
}
