import { useEffect, useState } from 'react'
import {
  isActive,
  maySubscribe,
  type SubscriptionAfterReturn,
} from '../../../../pieces/billing/subscription.js'
import { t } from '../../../../pieces/language/t.js'
import type { Load } from '../../../../pieces/loading/use-load.js'
import { Waiting } from '../../../../pieces/loading/waiting.js'
import { Hint, Success } from '../../../../pieces/notices/notice.js'

/** A payment may take some seconds; after this many requests we stop waiting. */
const MOST_QUESTIONS = 15
const ASK_EVERY_MS = 1_000

/**
 * Shown after returning from the payment page, which itself proves nothing: asks until the service knows of
 * the payment.
 */
export function PaymentNews({ subscription }: { readonly subscription: Load<SubscriptionAfterReturn> }) {
  const [questions, setQuestions] = useState(0)
  const { data, reload } = subscription
  const isWaiting = data?.isReturn && maySubscribe(data) && questions < MOST_QUESTIONS
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => {
      setQuestions(questions + 1)
      void reload()
    }, ASK_EVERY_MS)
    return () => clearTimeout(timer)
  }, [isWaiting, questions, reload])
  if (isWaiting) return <Waiting what={t('payment.checking')} />
  if (!data?.isReturn) return null
  if (data.state === 'pending') return <Success>{t('payment.onItsWay')}</Success>
  return isActive(data) ? <Success>{t('payment.active')}</Success> : <Hint>{t('payment.none')}</Hint>
}
