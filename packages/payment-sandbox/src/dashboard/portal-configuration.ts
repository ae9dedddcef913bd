import type { Stripe } from 'stripe'
import { productIdOf } from '../prices/products.js'
import { nowSeconds } from '../state/clock.js'

export type PortalConfiguration = Stripe.BillingPortal.Configuration

/** The features that the portal's pages here offer: all that they support, for all prices. */
export function newPortalConfiguration(priceIds: readonly string[]): PortalConfiguration {
  const now = nowSeconds()
  return {
    id: 'bpc_sandbox',
    object: 'billing_portal.configuration',
    active: true,
    application: null,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null },
    created: now,
    default_return_url: null,
    features: features(priceIds),
    is_default: true,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: {},
    name: null,
    updated: now,
  }
}

function features(priceIds: readonly string[]): PortalConfiguration['features'] {
  const productIds = [...new Set(priceIds.map(productIdOf))]
  return {
    customer_update: { allowed_updates: [], enabled: false },
    invoice_history: { enabled: true },
    payment_method_update: { enabled: true, payment_method_configuration: null },
    subscription_cancel: {
      cancellation_reason: { enabled: false, feedback_options: null, options: [] },
      enabled: true,
      mode: 'at_period_end',
      proration_behavior: 'none',
    },
    subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
    subscription_update: {
      billing_cycle_anchor: null,
      default_allowed_updates: ['price', 'quantity'],
      enabled: true,
      products: productIds.map(product => ({
        adjustable_quantity: { enabled: true, maximum: null, minimum: 1 },
        prices: priceIds.filter(id => productIdOf(id) === product),
        product,
      })),
      proration_behavior: 'create_prorations',
      schedule_at_period_end: { conditions: [] },
      trial_update_behavior: 'continue_trial',
    },
  }
}
