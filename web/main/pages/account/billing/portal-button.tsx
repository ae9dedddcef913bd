import { isEnding, isPaused, type Subscription } from '../../../../pieces/billing/subscription.js'
import { ActionButton } from '../../../../pieces/forms/button.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { t } from '../../../../pieces/language/t.js'
import { Failure } from '../../../../pieces/notices/notice.js'
import { openPortal } from '../../../payment/checkout.js'

/** Leads to the provider's pages; its label says what people need there now. */
export function PortalButton({ subscription }: { readonly subscription: Subscription }) {
  const portal = useAction(openPortal)
  const words = portalWords(subscription)
  return (
    <>
      <Failure error={portal.error} />
      <div className="actions">
        <ActionButton action={portal} kind={words.isUrgent ? 'primary' : 'plain'}>
          {words.name}
        </ActionButton>
      </div>
    </>
  )
}

function portalWords(subscription: Subscription): { name: string; isUrgent: boolean } {
  const { state } = subscription
  const isOverdue = state === 'past_due' || (state === 'restricted' && !isPaused(subscription))
  if (isOverdue) return { name: t('portal.pay'), isUrgent: true }
  if (isEnding(subscription)) return { name: t('portal.keep'), isUrgent: true }
  const hasNothingToCancel = ['canceled', 'pending', 'unconfirmed'].includes(state)
  return {
    name: hasNothingToCancel ? t('portal.invoices') : t('portal.manage'),
    isUrgent: false,
  }
}
