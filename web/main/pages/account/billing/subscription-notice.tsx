import { isEnding, isPaused, type Subscription } from '../../../../pieces/billing/subscription.js'
import { t } from '../../../../pieces/language/t.js'
import { T } from '../../../../pieces/language/text.js'
import { Hint, Warning } from '../../../../pieces/notices/notice.js'
import { Day } from '../../../../pieces/time/when.js'
import { UnconfirmedPayment } from '../../../payment/unconfirmed-payment.js'

/** What people must know about the subscription now; nothing when all is well. */
export function SubscriptionNotice({ subscription }: { readonly subscription: Subscription }) {
  const { state, endsAt, graceUntil } = subscription
  if (state === 'pending') return <Hint>{t('notice.pending')}</Hint>
  if (state === 'unconfirmed') return <UnconfirmedPayment subscription={subscription} />
  if (state === 'past_due')
    return (
      <Warning isMild>
        {graceUntil ? <T id="notice.overdueBy" date={<Day at={graceUntil} />} /> : t('notice.overdue')}
      </Warning>
    )
  if (isPaused(subscription)) return <Hint>{t('notice.paused')}</Hint>
  if (state === 'restricted')
    return (
      <Warning>
        {graceUntil ? <T id="notice.suspendedSince" date={<Day at={graceUntil} />} /> : t('notice.suspended')}
      </Warning>
    )
  if (isEnding(subscription) && endsAt)
    return (
      <Hint>
        <T id="notice.ending" date={<Day at={endsAt} />} />
      </Hint>
    )
  return null
}
