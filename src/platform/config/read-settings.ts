import { join } from 'node:path'
import { cookieDomainFaults } from './faults/cookie-domain-faults.js'
import { operatorFaults } from './faults/operator-faults.js'
import { passkeyFaults } from './faults/passkey-faults.js'
import type { Origin } from './origin.js'
import { PACKAGE_ROOT } from './package-root.js'
import { asTexts, type GivenSettings } from './reading/given-settings.js'
import { SettingSheet } from './reading/setting.js'
import { readSettingsFile, withPorts } from './reading/settings-file.js'
import { ALL_SETTINGS } from './reading/settings-table.js'
import { similarName } from './reading/similar-name.js'
import type { Settings } from './settings.js'
import { ACCOUNT_SETTINGS } from './tables/account-settings.js'
import { ADDRESS_SETTINGS } from './tables/address-settings.js'
import { ANOMALY_SETTINGS } from './tables/anomaly-settings.js'
import { BRAND_SETTINGS } from './tables/brand-settings.js'
import { MAIL_SETTINGS } from './tables/mail-settings.js'
import { OPERATOR_SETTINGS } from './tables/operator-settings.js'
import { PAYMENT_SETTINGS } from './tables/payment-settings.js'
import { RATE_LIMIT_SETTINGS } from './tables/rate-limit-settings.js'
import { HASH_MEMORY_KIB, SERVER_SETTINGS, TEST_SETTINGS } from './tables/server-settings.js'
import { SESSION_SETTINGS } from './tables/session-settings.js'
import { STORE_SETTINGS } from './tables/store-settings.js'

/** The message lists every fault, one per line. */
export class SettingsError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The settings are not usable:\n${faults.map(fault => `  - ${fault}`).join('\n')}`)
    this.name = 'SettingsError'
  }
}

/**
 * The settings of this process: `environment` overrides `config/<NODE_ENV>.env`. NODE_ENV defaults to production,
 * the strictest. Throws {@link SettingsError} with all faults at once.
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  configFolder = join(PACKAGE_ROOT, 'config'),
): Settings {
  const { name, file, texts } = givenTexts(environment, configFolder)
  const sheet = new SettingSheet(texts, name === 'production')
  sheet.warnings.push(...mistypedNames(environment))
  // Most likely a typo.
  const unknown = unknownNames(Object.keys(file)).filter(
    fileName => !(name === 'test' && fileName === TEST_SETTINGS.hashMemoryKib.name),
  )
  return settingsOn(
    sheet,
    unknown.map(unknownName => `${unknownName} (in config/${name}.env) is not a setting`),
  )
}

/** The settings as they are written, by name: `environment` overrides `config/<NODE_ENV>.env`. */
export function givenTexts(
  environment: Readonly<Record<string, string | undefined>>,
  configFolder = join(PACKAGE_ROOT, 'config'),
) {
  const name = environment.NODE_ENV?.trim() || 'production'
  const file = withPorts(readSettingsFile(join(configFolder, `${name}.env`)), environment.PORT)
  return { name, file, texts: { ...file, ...environment, NODE_ENV: name } }
}

/**
 * The settings that another program gives, and nothing else: neither environment nor file. Names that are not
 * settings are ignored, because it may give its whole environment. Throws {@link SettingsError} with all faults
 * at once.
 */
export function settingsFrom(given: GivenSettings): Settings {
  const texts = asTexts(given)
  const name = texts.NODE_ENV?.trim() || 'production'
  return settingsOn(new SettingSheet({ ...texts, NODE_ENV: name }, name === 'production'))
}

function settingsOn(sheet: SettingSheet, otherFaults: readonly string[] = []): Settings {
  const settings = readSheet(sheet)
  const faults = [...sheet.faults, ...otherFaults]
  if (faults.length > 0) throw new SettingsError(faults)
  return Object.freeze(settings)
}

function unknownNames(names: readonly string[]): string[] {
  const known = new Set(ALL_SETTINGS.map(({ name }) => name))
  return names.filter(name => !known.has(name))
}

/** The environment has names of other programs too: a setting that it has as well was not meant. */
function mistypedNames(environment: Readonly<Record<string, string | undefined>>): string[] {
  const missing = ALL_SETTINGS.map(({ name }) => name).filter(name => environment[name] === undefined)
  return unknownNames(Object.keys(environment)).flatMap(name => {
    const meant = similarName(name, missing)
    return meant ? [`${name} is not a setting: ${meant} may have been meant`] : []
  })
}

/** In the order of the table, because some defaults depend on settings above them. */
function readSheet(sheet: SettingSheet): Settings {
  const {
    tlsCertFile,
    tlsKeyFile,
    maxConnections,
    drainSeconds,
    metricsPort,
    metricsHost,
    tracesUrl,
    ...server
  } = sheet.read(SERVER_SETTINGS)
  const { allowedOrigins, passkeyRpId, ...addresses } = sheet.read(ADDRESS_SETTINGS)
  const { defaultLanguage, ...brand } = sheet.read(BRAND_SETTINGS)
  const { databasePoolSize, databaseTimeoutMs, ...stores } = sheet.read(STORE_SETTINGS)
  const sessions = sheet.read(SESSION_SETTINGS)
  const accounts = sheet.read(ACCOUNT_SETTINGS)
  const { smtpUrl, from } = sheet.read(MAIL_SETTINGS)
  const { plansFile, paymentGraceSeconds, checkout, ...stripe } = sheet.read(PAYMENT_SETTINGS)
  const rateLimits = sheet.read(RATE_LIMIT_SETTINGS)
  const anomalies = sheet.read(ANOMALY_SETTINGS)
  const { operatorOrigin, operatorAddresses } = sheet.read(OPERATOR_SETTINGS)
  sheet.faults.push(
    ...unpaired('TLS_CERT_FILE and TLS_KEY_FILE', tlsCertFile, tlsKeyFile),
    ...unpaired('SMTP_URL and MAIL_FROM', smtpUrl, from),
    ...cookieDomainFaults(addresses),
    ...passkeyFaults(passkeyRpId, addresses, allowedOrigins),
    ...operatorFaults(operatorOrigin, operatorAddresses, { ...addresses, allowedOrigins }),
  )
  return {
    ...server,
    hashMemoryKib: server.environment === 'test' ? sheet.read(TEST_SETTINGS).hashMemoryKib : HASH_MEMORY_KIB,
    ...addresses,
    passkeyRpId: passkeyRpId ?? hostOf(addresses.mainOrigin),
    satelliteOrigins: new Set(allowedOrigins?.filter(origin => origin !== addresses.mainOrigin)),
    brand,
    defaultLanguage,
    ...stores,
    ...sessions,
    ...accounts,
    mail: smtpUrl && from ? { smtpUrl, from } : null,
    operators: operatorOrigin && { origin: operatorOrigin, addresses: operatorAddresses },
    stripe: { ...stripe, ...checkout },
    plansFile,
    paymentGraceSeconds,
    rateLimits,
    ...anomalies,
    tls: tlsCertFile && tlsKeyFile ? { certFile: tlsCertFile, keyFile: tlsKeyFile } : null,
    operation: {
      drainSeconds,
      databasePoolSize,
      databaseTimeoutMs,
      maxConnections,
      metricsPort,
      metricsHost,
      tracesUrl,
    },
    warnings: sheet.warnings,
  }
}

/** Empty while the origin is missing, which is a fault by itself. */
function hostOf(origin: Origin): string {
  return URL.canParse(origin) ? new URL(origin).hostname : ''
}

/** A fault when only one of two settings that belong together is set, whether its value is valid or not. */
function unpaired(names: string, one: unknown, other: unknown): string[] {
  return (one === null) === (other === null) ? [] : [`${names} must be set together`]
}
