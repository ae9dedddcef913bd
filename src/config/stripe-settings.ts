import { checkoutOptions, NO_CHECKOUT_OPTIONS } from './checkout-options.js'
import * as read from './setting-readers.js'
import type { SettingSheet } from './setting-sheet.js'
import { PRORATIONS, type StripeSettings } from './settings.js'

export function readStripe(sheet: SettingSheet, isProduction: boolean): StripeSettings {
  const secret = isProduction ? read.productionSecret : read.secret
  const priceIds = sheet.required('STRIPE_PRICE_IDS', read.listOf(read.startingWith('price_')))
  if (priceIds?.length === 0) sheet.faults.push('STRIPE_PRICE_IDS lists no price')
  const secretKey = sheet.required('STRIPE_SECRET_KEY', secret(['sk_', 'rk_'], 20))
  const webhookSecrets = sheet.required('STRIPE_WEBHOOK_SECRET', read.listOf(secret(['whsec_'], 20)))
  if (webhookSecrets?.length === 0) sheet.faults.push('STRIPE_WEBHOOK_SECRET lists no secret')
  return {
    secretKey,
    webhookSecrets,
    priceIds,
    ...sheet.optional('STRIPE_CHECKOUT_OPTIONS', checkoutOptions, NO_CHECKOUT_OPTIONS),
    proration: sheet.optional('STRIPE_PRORATION', read.oneOf(PRORATIONS), 'create_prorations'),
    apiUrl: sheet.optional('STRIPE_API_URL', read.urlOf('https:', 'http:'), null),
  }
}
