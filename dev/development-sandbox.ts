import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PaymentSandbox } from '@mainstay-auth/payment-sandbox'
import { isLoopback } from '../src/platform/config/origin.js'
import type { Settings } from '../src/platform/config/settings.js'
import { accentsOf } from '../src/platform/contrast.js'

/** The payment sandbox where STRIPE_API_URL points at this machine; null where Stripe's own test mode is used. */
export async function sandboxFor({
  stripe,
  publicUrl,
  dataDir,
  tls,
  brand,
}: Settings): Promise<PaymentSandbox | null> {
  if (!stripe.apiUrl || !isLoopback(stripe.apiUrl.hostname)) return null
  return PaymentSandbox.start({
    host: stripe.apiUrl.hostname,
    port: Number(stripe.apiUrl.port),
    secretKey: stripe.secretKey,
    webhookUrl: `${publicUrl}/api/webhooks/stripe`,
    ...(tls && { webhookCertificate: readFileSync(tls.certFile, 'utf8') }),
    webhookSecret: stripe.webhookSecrets[0] as string,
    priceIds: [...stripe.priceIds],
    stateFile: join(dataDir, 'payment-sandbox.json'),
    brand: { ...brand, accent: accentsOf(brand.accent) },
  })
}
