import { seatWords } from '../../../../pieces/billing/plans.js'
import type { Subscription } from '../../../../pieces/billing/subscription.js'
import { type Load, useLoad } from '../../../../pieces/loading/use-load.js'
import { Hint } from '../../../../pieces/notices/notice.js'
import { call } from '../../../api.js'
import { readPlans } from '../../../payment/checkout.js'

/** What another person in the team costs, and how many there may be. Nothing without an answer: inviting works all the same. */
export function useSeatWords(): Load<readonly string[]> {
  return useLoad(async () => {
    const [subscription, plans] = await Promise.all([
      call<Subscription>('GET', 'subscription').catch(() => null),
      readPlans().catch(() => []),
    ])
    return subscription ? seatWords(subscription, plans) : []
  })
}

export function SeatNotice({ words }: { readonly words: Load<readonly string[]> }) {
  return words.data?.length ? <Hint>{words.data.join(' ')}</Hint> : null
}
