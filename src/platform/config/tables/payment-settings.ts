import { checkoutOptions } from '../checkout-options.js'
import * as address from '../reading/address-readers.js'
import { REQUIRED, type SettingsTable } from '../reading/setting.js'
import * as read from '../reading/setting-readers.js'

/** In the provider's words: billed with the next invoice, at once, or not at all. */
const PRORATIONS = ['create_prorations', 'always_invoice', 'none'] as const

/** By then the provider has long given up on a payment. */
const MAX_PAYMENT_GRACE_SECONDS = 365 * 24 * 60 * 60

/** In development the payment sandbox (packages/payment-sandbox) takes the provider's place. */
export const PAYMENT_SETTINGS = {
  priceIds: {
    name: 'STRIPE_PRICE_IDS',
    read: read.nonEmptyListOf(read.startingWith('price_')),
    default: REQUIRED,
    meaning: 'Prices on sale, comma-separated; the first is the default',
    examples: { development: 'price_monthly,price_yearly' },
  },
  secretKey: {
    name: 'STRIPE_SECRET_KEY',
    read: read.secret(['sk_', 'rk_'], 20),
    default: REQUIRED,
    meaning: 'Secret or restricted API key of Stripe',
    isSecret: true,
    examples: { development: 'sk_test_payment_sandbox' },
  },
  webhookSecrets: {
    name: 'STRIPE_WEBHOOK_SECRET',
    read: read.nonEmptyListOf(read.secret(['whsec_'], 20)),
    default: REQUIRED,
    meaning: 'Signing secret of the webhook endpoint; several, comma-separated, are all accepted',
    isSecret: true,
    examples: { development: 'whsec_payment_sandbox_only' },
  },
  apiUrl: {
    name: 'STRIPE_API_URL',
    read: read.orNull(address.providerUrl),
    default: '',
    defaultInWords: 'Stripe itself',
    meaning: 'A server to use instead of Stripe, such as the payment sandbox',
    examples: { development: 'http://localhost:<PORT+10>' },
  },
  checkout: {
    name: 'STRIPE_CHECKOUT_OPTIONS',
    read: checkoutOptions,
    default: '{}',
    meaning:
      'Further options of every checkout as JSON (tax, promotion codes, trial, payment methods …), see ' +
      '[docs/operations.md](docs/operations.md#payments)',
  },
  proration: {
    name: 'STRIPE_PRORATION',
    read: read.oneOf(...PRORATIONS),
    default: 'create_prorations',
    meaning: 'How a changed number of seats is billed in the current period',
  },
  plansFile: {
    name: 'PLANS_FILE',
    read: read.orNull(read.asText),
    default: '',
    defaultInWords: 'payments limit nothing',
    meaning:
      'JSON file of plans (their prices, what they allow, and whether seats are billed), see ' +
      '[config/plans.json.example](config/plans.json.example)',
  },
  paymentGraceSeconds: {
    name: 'PAYMENT_GRACE_SECONDS',
    read: read.seconds(0, MAX_PAYMENT_GRACE_SECONDS),
    default: '1209600',
    meaning: 'How long an account keeps its plan while a payment is overdue',
  },
} as const satisfies SettingsTable
