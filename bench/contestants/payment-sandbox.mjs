// The payment provider of the bench, in a process of its own.
import { PaymentSandbox } from '@mainstay-auth/payment-sandbox'

const { PORT, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_IDS } = process.env

await PaymentSandbox.start({
  port: Number(PORT),
  secretKey: STRIPE_SECRET_KEY,
  webhookSecret: STRIPE_WEBHOOK_SECRET,
  // The bench posts its events itself, and counts them.
  webhookUrl: null,
  secondaryEvents: false,
  priceIds: STRIPE_PRICE_IDS.split(','),
})
