import { Warning } from '../pieces/notices.js'
import type { Subscription } from '../pieces/subscription.js'
import { t } from '../pieces/t.js'

/** That the bank waits for the first payment to be confirmed, with the provider's page to do so for those who may pay. */
export function UnconfirmedPayment({
  subscription: { confirmUrl },
}: {
  readonly subscription: Subscription
}) {
  return (
    <Warning isMild>
      {t('notice.unconfirmed')} {confirmUrl && <a href={confirmUrl}>{t('payment.confirm')}</a>}
    </Warning>
  )
}
