import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { anomalyPolicy, USUAL_ANOMALY_POLICY } from './anomaly-policy.js'
import { readAttempts } from './attempt-settings.js'
import { readOperation } from './operation-settings.js'
import type { Origin } from './origin.js'
import * as read from './setting-readers.js'
import { SettingSheet } from './setting-sheet.js'
import {
  type Environment,
  LOG_LEVELS,
  type MailSettings,
  type Settings,
  type TlsSettings,
} from './settings.js'
import { readStripe } from './stripe-settings.js'

const ENVIRONMENTS: readonly Environment[] = ['development', 'test', 'production']

/** RFC 9068 asks for short-lived tokens; more than a day would make revocation meaningless. */
const MAX_ACCESS_TOKEN_TTL_SECONDS = 24 * 60 * 60
/** Browsers keep a cookie for 400 days at most (RFC 6265bis §5.5). */
const MAX_SESSION_TTL_SECONDS = 400 * 24 * 60 * 60
/** After more than a day it says nothing about who is there now. */
const MAX_REAUTHENTICATION_TTL_SECONDS = 24 * 60 * 60
/** All sessions of a user are listed and changed at once. */
const MOST_SESSIONS_PER_USER = 1_000
/** GDPR article 12 allows a month. */
const MAX_DELETION_GRACE_SECONDS = 30 * 24 * 60 * 60
/** Each takes 19 MiB. */
const MOST_HASHES_AT_ONCE = 128
/** An owner who is robbed at night reads about it in the morning. */
const MIN_TRANSFER_WAIT_SECONDS = 12 * 60 * 60
const MAX_TRANSFER_WAIT_SECONDS = 30 * 24 * 60 * 60
/** A silent connection is given up after this long anyway. */
const MAX_SESSION_STORE_TIMEOUT_MS = 3_000
/** By then the provider has long given up on a payment. */
const MAX_PAYMENT_GRACE_SECONDS = 365 * 24 * 60 * 60

/** Thrown by {@link readSettings}; the message lists every fault, one per line. */
export class SettingsError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The settings are not usable:\n${faults.map(fault => `  - ${fault}`).join('\n')}`)
    this.name = 'SettingsError'
  }
}

/**
 * The settings of this process: `config/<NODE_ENV>.env` under `environment`, which wins.
 * NODE_ENV defaults to production, the strictest. Throws {@link SettingsError} with all faults at once.
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  configFolder = join(process.cwd(), 'config'),
): Settings {
  const name = environment.NODE_ENV || 'production'
  const file = readFile(join(configFolder, `${name}.env`))
  const sheet = new SettingSheet({ ...file, ...environment, NODE_ENV: name })
  const settings = readSheet(sheet)
  // Most likely a typing mistake.
  for (const unknown of sheet.neverRead(Object.keys(file)))
    sheet.faults.push(`${unknown} (in config/${name}.env) is not a setting`)
  if (sheet.faults.length > 0) throw new SettingsError(sheet.faults)
  return Object.freeze(settings)
}

function readFile(path: string): Record<string, string> {
  return existsSync(path) ? (parseEnv(readFileSync(path, 'utf8')) as Record<string, string>) : {}
}

function readSheet(sheet: SettingSheet): Settings {
  const environment = sheet.required('NODE_ENV', read.oneOf(ENVIRONMENTS))
  const isProduction = environment === 'production'
  const port = sheet.optional('PORT', read.wholeNumber(0, 65535), 3000)
  const dataDir = sheet.optional('DATA_DIR', read.asText, 'data')
  const publicUrl = sheet.optional('PUBLIC_URL', read.baseUrl, `http://localhost:${port}`)
  if (isProduction) sheet.required('PUBLIC_URL', read.urlOf('https:'))
  const mainOrigin = isProduction
    ? sheet.required('MAIN_ORIGIN', read.originOf(false))
    : sheet.optional('MAIN_ORIGIN', read.originOf(true), `http://localhost:${port}` as Origin)
  return {
    environment,
    port,
    host: sheet.optional('HOST', read.asText, isProduction ? '0.0.0.0' : 'localhost'),
    publicUrl,
    mainOrigin,
    satelliteOrigins: readSatelliteOrigins(sheet, mainOrigin, !isProduction),
    cookieDomain: readCookieDomain(sheet, [mainOrigin, publicUrl]),
    accessTokenTtlSeconds: sheet.optional(
      'ACCESS_TOKEN_TTL',
      read.wholeNumber(1, MAX_ACCESS_TOKEN_TTL_SECONDS),
      900,
    ),
    sessionTtlSeconds: sheet.optional('SESSION_TTL', read.wholeNumber(1, MAX_SESSION_TTL_SECONDS), 2_592_000),
    maxSessionsPerUser: sheet.optional(
      'MAX_SESSIONS_PER_USER',
      read.wholeNumber(1, MOST_SESSIONS_PER_USER),
      50,
    ),
    databaseUrl: isProduction
      ? sheet.required('DATABASE_URL', read.databaseUrl)
      : sheet.optional('DATABASE_URL', read.databaseUrl, `pglite:${join(dataDir, 'database')}`),
    sessionStoreUrl: sheet.optional(
      'SESSION_STORE_URL',
      read.startingWith(
        'redis://',
        'rediss://',
        'redis+cluster://',
        'rediss+cluster://',
        'redis+sentinel://',
      ),
      null,
    ),
    sessionStoreTimeoutMs: sheet.optional(
      'SESSION_STORE_TIMEOUT_MS',
      read.wholeNumber(50, MAX_SESSION_STORE_TIMEOUT_MS),
      300,
    ),
    jwtKeysFile: isProduction
      ? sheet.required('JWT_KEYS_FILE', read.asText)
      : sheet.optional('JWT_KEYS_FILE', read.asText, join(dataDir, 'jwt-keys.json')),
    jwtIssuer: sheet.optional('JWT_ISSUER', read.asText, publicUrl),
    jwtAudience: sheet.optional('JWT_AUDIENCE', read.asText, publicUrl),
    reauthenticationTtlSeconds: sheet.optional(
      'REAUTHENTICATION_TTL',
      read.wholeNumber(1, MAX_REAUTHENTICATION_TTL_SECONDS),
      600,
    ),
    isSignUpOpen: sheet.optional('SIGN_UP', read.oneOf(['on', 'off']), 'off') === 'on',
    mayOwnersUseSatellites:
      sheet.optional('OWNERS_ON_SATELLITES', read.oneOf(['allowed', 'barred']), 'allowed') === 'allowed',
    deletionGraceSeconds: sheet.optional(
      'DELETION_GRACE',
      read.wholeNumber(0, MAX_DELETION_GRACE_SECONDS),
      1_209_600,
    ),
    transferWaitSeconds: sheet.optional(
      'TRANSFER_WAIT',
      read.wholeNumber(MIN_TRANSFER_WAIT_SECONDS, MAX_TRANSFER_WAIT_SECONDS),
      259_200,
    ),
    anomalyPolicy: sheet.optional('ANOMALY_POLICY', anomalyPolicy, USUAL_ANOMALY_POLICY),
    geoIpFile: sheet.optional('GEOIP_FILE', read.asText, null),
    attempts: readAttempts(sheet),
    hashConcurrency: sheet.optional(
      'HASH_CONCURRENCY',
      read.wholeNumber(1, MOST_HASHES_AT_ONCE),
      availableParallelism(),
    ),
    mail: readMail(sheet),
    stripe: readStripe(sheet, isProduction),
    plansFile: sheet.optional('PLANS_FILE', read.asText, null),
    paymentGraceSeconds: sheet.optional(
      'PAYMENT_GRACE',
      read.wholeNumber(0, MAX_PAYMENT_GRACE_SECONDS),
      1_209_600,
    ),
    trustProxy: sheet.optional('TRUST_PROXY', read.listOf(read.proxyAddress), []),
    tls: readTls(sheet),
    operation: readOperation(sheet, isProduction),
    logLevel: sheet.optional('LOG_LEVEL', read.oneOf(LOG_LEVELS), 'info'),
    dataDir,
  }
}

function readSatelliteOrigins(
  sheet: SettingSheet,
  mainOrigin: Origin,
  allowLoopbackHttp: boolean,
): Set<Origin> {
  const origins = new Set(sheet.required('ALLOWED_ORIGINS', read.listOf(read.originOf(allowLoopbackHttp))))
  origins.delete(mainOrigin)
  return origins
}

/** A browser only takes the cookie if both the main site and the API lie under its domain (RFC 6265bis §5.7). */
function readCookieDomain(sheet: SettingSheet, addresses: readonly string[]): string | null {
  const domain = sheet.optional('COOKIE_DOMAIN', read.cookieDomain, null)
  if (!domain) return null
  for (const address of addresses.filter(text => URL.canParse(text))) {
    const { hostname } = new URL(address)
    if (hostname !== domain && !hostname.endsWith(`.${domain}`))
      sheet.faults.push(
        `COOKIE_DOMAIN ${domain} does not cover ${hostname}, so browsers would refuse the cookie`,
      )
  }
  return domain
}

function readMail(sheet: SettingSheet): MailSettings | null {
  const smtpUrl = sheet.optional('SMTP_URL', read.smtpUrl, null)
  const from = sheet.optional('MAIL_FROM', read.asText, null)
  if (smtpUrl && from) return { smtpUrl, from }
  if (smtpUrl || from) sheet.faults.push('SMTP_URL and MAIL_FROM must be set together')
  return null
}

function readTls(sheet: SettingSheet): TlsSettings | null {
  const certFile = sheet.optional('TLS_CERT_FILE', read.asText, null)
  const keyFile = sheet.optional('TLS_KEY_FILE', read.asText, null)
  if (certFile && keyFile) return { certFile, keyFile }
  if (certFile || keyFile) sheet.faults.push('TLS_CERT_FILE and TLS_KEY_FILE must be set together')
  return null
}
