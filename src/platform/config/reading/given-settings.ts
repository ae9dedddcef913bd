import type { ACCOUNT_SETTINGS } from '../tables/account-settings.js'
import type { ADDRESS_SETTINGS } from '../tables/address-settings.js'
import type { ANOMALY_SETTINGS } from '../tables/anomaly-settings.js'
import type { BRAND_SETTINGS } from '../tables/brand-settings.js'
import type { MAIL_SETTINGS } from '../tables/mail-settings.js'
import type { OPERATOR_SETTINGS } from '../tables/operator-settings.js'
import type { PAYMENT_SETTINGS } from '../tables/payment-settings.js'
import type { RATE_LIMIT_SETTINGS } from '../tables/rate-limit-settings.js'
import type { SERVER_SETTINGS } from '../tables/server-settings.js'
import type { SESSION_SETTINGS } from '../tables/session-settings.js'
import type { STORE_SETTINGS } from '../tables/store-settings.js'
import type { SettingsTable } from './setting.js'

type NamesIn<T extends SettingsTable> = T[keyof T]['name']

/** The name of a setting, as in the environment. */
export type SettingName =
  | NamesIn<typeof SERVER_SETTINGS>
  | NamesIn<typeof ADDRESS_SETTINGS>
  | NamesIn<typeof BRAND_SETTINGS>
  | NamesIn<typeof STORE_SETTINGS>
  | NamesIn<typeof SESSION_SETTINGS>
  | NamesIn<typeof ACCOUNT_SETTINGS>
  | NamesIn<typeof MAIL_SETTINGS>
  | NamesIn<typeof PAYMENT_SETTINGS>
  | NamesIn<typeof RATE_LIMIT_SETTINGS>
  | NamesIn<typeof ANOMALY_SETTINGS>
  | NamesIn<typeof OPERATOR_SETTINGS>

/**
 * Settings by their names in the environment. `true` and `false` are `on` and `off`; undefined is not set.
 */
export type GivenSettings = { readonly [Name in SettingName]?: string | number | boolean | undefined }

/** The same as they would be written in the environment. */
export function asTexts(given: Readonly<Record<string, unknown>>): Record<string, string> {
  const set = Object.entries(given).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(set.map(([name, value]) => [name, asText(value)]))
}

function asText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return String(value)
}
