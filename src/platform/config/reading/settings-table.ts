import { ACCOUNT_SETTINGS } from '../tables/account-settings.js'
import { ADDRESS_SETTINGS } from '../tables/address-settings.js'
import { ANOMALY_SETTINGS } from '../tables/anomaly-settings.js'
import { BRAND_SETTINGS } from '../tables/brand-settings.js'
import { MAIL_SETTINGS } from '../tables/mail-settings.js'
import { OPERATOR_SETTINGS } from '../tables/operator-settings.js'
import { PAYMENT_SETTINGS } from '../tables/payment-settings.js'
import { RATE_LIMIT_SETTINGS } from '../tables/rate-limit-settings.js'
import { SERVER_SETTINGS } from '../tables/server-settings.js'
import { SESSION_SETTINGS } from '../tables/session-settings.js'
import { STORE_SETTINGS } from '../tables/store-settings.js'
import type { SettingsTable } from './setting.js'

export interface SettingsGroup {
  readonly title: string
  /** What a reader of the whole group should know, in Markdown. */
  readonly introduction?: string
  readonly table: SettingsTable
}

/**
 * Every setting, in the order in which they are read and documented. `npm run settings` writes README's
 * section and the env examples from this. A new setting is a row in one of the tables and a field in
 * settings.ts.
 */
export const SETTINGS_GROUPS: readonly SettingsGroup[] = [
  { title: 'Server', table: SERVER_SETTINGS },
  { title: 'Addresses', table: ADDRESS_SETTINGS },
  { title: 'Brand', table: BRAND_SETTINGS },
  { title: 'Stores', table: STORE_SETTINGS },
  { title: 'Tokens and sessions', table: SESSION_SETTINGS },
  { title: 'Accounts', table: ACCOUNT_SETTINGS },
  { title: 'Mail', table: MAIL_SETTINGS },
  { title: 'Payments', table: PAYMENT_SETTINGS },
  {
    title: 'Rate limits',
    introduction:
      'Requests beyond a limit get 429. A network is an IPv4 address or an IPv6 /64; a /56 is allowed twice as much, a ' +
      '/48 four times. [docs/reliability.md](docs/reliability.md) says which limit refuses whom.',
    table: RATE_LIMIT_SETTINGS,
  },
  { title: 'Anomalies', table: ANOMALY_SETTINGS },
  { title: 'Operator console', table: OPERATOR_SETTINGS },
]

/** Every setting, in that order. */
export const ALL_SETTINGS = SETTINGS_GROUPS.flatMap(({ table }) => Object.values(table))
