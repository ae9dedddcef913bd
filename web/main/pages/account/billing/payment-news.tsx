import { useEffect, useState } from 'react'
import {
  isActive,
  maySubscribe,
  type SubscriptionAfterReturn,
} from '../../../../pieces/billing/subscription.js'
import { t } from '../../../../pieces/language/t.js'
import type { Load } from '../../../../pieces/loading/use-load.js'
import { Hint, Success } from '../../../../pieces/notices/notice.js'

/** A payment may take some seconds; after this many requests we stop waiting. */
const MOST_QUESTIONS = 15
const ASK_EVERY_MS = 1_000

/**
 * After returning from the payment page, which itself proves nothing, asks until the service knows of the
 * payment. Returns whether it is still asking.
 */
export function usePaymentCheck({ data, reload }: Load<SubscriptionAfterReturn>): boolean {
  const [questions, setQuestions] = useState(0)
  const isUnknown = data?.isReturn && maySubscribe(data) && data.state !== 'unconfirmed'
  const isWaiting = Boolean(isUnknown) && questions < MOST_QUESTIONS
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => {
      setQuestions(questions + 1)
      void reload()
    }, ASK_EVERY_MS)
    return () => clearTimeout(timer)
  }, [isWaiting, questions, reload])
  return isWaiting
}

/** What became of the payment from which somebody has returned, unless it has a notice of its own; nothing for anybody else. */
export function PaymentNews({
  subscription,
  isChecking,
}: {
  readonly subscription: SubscriptionAfterReturn
  readonly isChecking: boolean
}) {
  if (!subscription.isReturn || subscription.state === 'unconfirmed') return null
  if (isChecking) return <Hint isNews>{t('payment.checking')}</Hint>
  if (subscription.state === 'pending') return <Success>{t('payment.onItsWay')}</Success>
  return isActive(subscription) ? <Success>{t('payment.active')}</Success> : <Hint>{t('payment.none')}</Hint>
}
