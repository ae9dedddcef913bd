import { dirname, join } from 'node:path'
import { MAIN, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'

export const COOKIE_DOMAIN = 'main.test'

/** What the payment sandbox and the service agree on. */
export const PROVIDER = {
  secretKey: 'sk_test_of_the_conformance_run',
  webhookSecret: 'whsec_of_the_conformance_run',
  priceIds: ['price_monthly', 'price_yearly'],
}

/** The settings of production, with `own` for what differs from run to run. */
export function environmentOf(own: Readonly<Record<string, string>>): Record<string, string> {
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PUBLIC_URL: 'https://api.main.test',
    MAIN_ORIGIN: MAIN,
    ALLOWED_ORIGINS: `${SHOP_ONE},${SHOP_TWO}`,
    COOKIE_DOMAIN,
    // Both are made by makeKeys.
    ...(own.JWT_KEYS_FILE && { SECRETS_KEYS_FILE: secretsBeside(own.JWT_KEYS_FILE) }),
    STRIPE_SECRET_KEY: PROVIDER.secretKey,
    STRIPE_WEBHOOK_SECRET: PROVIDER.webhookSecret,
    STRIPE_PRICE_IDS: PROVIDER.priceIds.join(','),
    LOG_LEVEL: 'info',
    // The machine may be busy; outages are for test/faults.
    DATABASE_TIMEOUT_MS: '3000',
    // Hundreds of wrong guesses come from one address here; those of one account keep their limits.
    ATTEMPTS_PER_NETWORK: '100000',
    ATTEMPTS_PER_ORIGIN: '100000',
    ATTEMPTS_TOTAL: '100000',
    LOGINS_PER_ACCOUNT: '100000',
    LOGINS_PER_NETWORK: '100000',
    WRONG_SESSION_IDS_PER_NETWORK: '100000',
    ...own,
  }
}

/** The file of secret keys that goes with a file of signing keys. */
export function secretsBeside(keysFile: string): string {
  return join(dirname(keysFile), 'secrets-keys.json')
}
