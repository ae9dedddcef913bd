import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { emailAddress, integer, metadata, oneOf, requiredText, text, webUrl } from '../http/form-fields.js'
import { nowSeconds } from '../state/clock.js'
import { CHECKOUT_MODES, type CheckoutTerms } from './checkout.js'

// https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-expires_at
const MIN_LIFETIME_SECONDS = 30 * 60
const MAX_LIFETIME_SECONDS = 24 * 60 * 60

/** The terms of a new checkout; throws 400 for a bad mode, URL, e-mail address, metadata or expires_at. */
export function checkoutTerms(params: Form): CheckoutTerms {
  requiredText(params, 'mode')
  const cancelUrl = text(params, 'cancel_url')
  return {
    cancel_url: cancelUrl && webUrl(cancelUrl, 'cancel_url'),
    client_reference_id: text(params, 'client_reference_id'),
    customer: text(params, 'customer'),
    customer_email: emailAddress(params, 'customer_email'),
    expires_at: expiresAt(integer(params, 'expires_at')),
    locale: text(params, 'locale'),
    metadata: metadata(params),
    mode: oneOf(params, 'mode', CHECKOUT_MODES)!,
    success_url: webUrl(requiredText(params, 'success_url'), 'success_url'),
  }
}

function expiresAt(requested: number | null): number {
  const now = nowSeconds()
  if (requested === null) return now + MAX_LIFETIME_SECONDS
  if (requested >= now + MIN_LIFETIME_SECONDS && requested <= now + MAX_LIFETIME_SECONDS) return requested
  const message =
    'The `expires_at` timestamp must be from 30 minutes to 24 hours after Checkout Session creation.'
  throw ApiError.badParameter('parameter_invalid', 'expires_at', message)
}
