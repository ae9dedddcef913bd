import { ApiError } from './api-error.js'
import type { CheckoutTerms } from './checkout.js'
import type { Form } from './form.js'
import { integer, metadata, requiredText, text } from './form-fields.js'
import { nowSeconds } from './sandbox-clock.js'

// https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-expires_at
const SHORTEST_LIFE_SECONDS = 30 * 60
const LONGEST_LIFE_SECONDS = 24 * 60 * 60

/** The terms of a new checkout; throws 400 for a mode other than subscription, a bad URL or a bad expires_at. */
export function checkoutTerms(params: Form): CheckoutTerms {
  const mode = requiredText(params, 'mode')
  if (mode !== 'subscription') {
    throw ApiError.badParameter('parameter_invalid', 'mode', 'This sandbox only knows mode=subscription.')
  }
  const cancelUrl = text(params, 'cancel_url')
  return {
    cancel_url: cancelUrl && webUrl(cancelUrl, 'cancel_url'),
    client_reference_id: text(params, 'client_reference_id'),
    customer: text(params, 'customer'),
    customer_email: text(params, 'customer_email'),
    expires_at: expiresAt(integer(params, 'expires_at')),
    locale: text(params, 'locale'),
    metadata: metadata(params),
    success_url: webUrl(requiredText(params, 'success_url'), 'success_url'),
  }
}

function webUrl(url: string, param: string): string {
  if (URL.canParse(url) && /^https?:/i.test(url)) return url
  throw ApiError.badParameter('url_invalid', param, 'Not a valid URL')
}

function expiresAt(wanted: number | null): number {
  const now = nowSeconds()
  if (wanted === null) return now + LONGEST_LIFE_SECONDS
  if (wanted >= now + SHORTEST_LIFE_SECONDS && wanted <= now + LONGEST_LIFE_SECONDS) return wanted
  const message =
    'The `expires_at` timestamp must be from 30 minutes to 24 hours after Checkout Session creation.'
  throw ApiError.badParameter('parameter_invalid', 'expires_at', message)
}
