import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { distance } from 'fastest-levenshtein'
import { parse } from 'tldts'
import { withoutByteOrderMark } from './byte-order-mark.js'
import { isSharedDomain, isWithin, LOCAL_ORIGINS, type Origin } from './origin.js'
import { PACKAGE_ROOT } from './package-root.js'
import { IS_MISSING, SettingSheet, type SettingsTable } from './setting.js'
import { leastIdleSeconds, type Settings } from './settings.js'
import {
  ACCOUNT_SETTINGS,
  ADDRESS_SETTINGS,
  ALL_SETTINGS,
  ANOMALY_SETTINGS,
  BRAND_SETTINGS,
  HASH_MEMORY_KIB,
  MAIL_SETTINGS,
  OPERATOR_SETTINGS,
  PAYMENT_SETTINGS,
  RATE_LIMIT_SETTINGS,
  SERVER_SETTINGS,
  SESSION_SETTINGS,
  STORE_SETTINGS,
  TEST_SETTINGS,
} from './tables.js'

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
  const hint = texts.NODE_ENV
    ? []
    : ["NODE_ENV is not given, which means production: 'development' needs none of these"]
  return settingsOn(new SettingSheet({ ...texts, NODE_ENV: name }, name === 'production'), [], hint)
}

/** `hintIfMissing` is added to the faults where one of them is that a setting is missing. */
function settingsOn(
  sheet: SettingSheet,
  otherFaults: readonly string[] = [],
  hintIfMissing: readonly string[] = [],
): Settings {
  const settings = readSheet(sheet)
  const isMissing = sheet.faults.some(fault => fault.endsWith(IS_MISSING))
  const faults = [...sheet.faults, ...otherFaults, ...(isMissing ? hintIfMissing : [])]
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

/** In a shorter name, one slip already makes another word of it: HOST, POST. */
const MIN_LENGTH = 8

/** The one of `names` from which a mistyped `name` differs by one slip of the finger; null when there is none. */
function similarName(name: string, names: readonly string[]): string | null {
  return name.length < MIN_LENGTH ? null : (names.find(each => isOneSlip(name, each)) ?? null)
}

/** A letter that is missing, added, wrong, or swapped with another. */
function isOneSlip(one: string, other: string): boolean {
  const steps = distance(one, other)
  return steps <= 1 || (steps === 2 && lettersOf(one) === lettersOf(other))
}

function lettersOf(text: string): string {
  return [...text].sort().join('')
}

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
function asTexts(given: Readonly<Record<string, unknown>>): Record<string, string> {
  const set = Object.entries(given).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(set.map(([name, value]) => [name, asText(value)]))
}

function asText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return String(value)
}

/** What an env file has, by name; nothing when there is no such file. */
function readSettingsFile(path: string): Record<string, string> {
  if (!existsSync(path)) return {}
  return parseEnv(withoutByteOrderMark(readFileSync(path, 'utf8'))) as Record<string, string>
}

/**
 * With a number for each `<PORT>` or `<PORT+10>` in the file: what listens beside the service moves with it, so
 * that another PORT is enough for another instance. A `port` that is no number is a fault that others report.
 */
function withPorts(file: Readonly<Record<string, string>>, port: string | undefined): Record<string, string> {
  const first = [port, file.PORT].map(text => Number(text?.trim())).find(number => number > 0)
  if (first === undefined) return { ...file }
  const numbered = (text: string) =>
    text.replace(/<PORT(?:\+(\d+))?>/g, (_, steps = '0') => String(first + Number(steps)))
  return Object.fromEntries(Object.entries(file).map(([name, text]) => [name, numbered(text)]))
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
  const payments = readPayments(sheet)
  const rateLimits = sheet.read(RATE_LIMIT_SETTINGS)
  const anomalies = sheet.read(ANOMALY_SETTINGS)
  const { operatorOrigin, operatorAddresses } = sheet.read(OPERATOR_SETTINGS)
  sheet.faults.push(
    ...unpaired('TLS_CERT_FILE and TLS_KEY_FILE', tlsCertFile, tlsKeyFile),
    ...unpaired('SMTP_URL and MAIL_FROM', smtpUrl, from),
    ...idleFaults(sessions),
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
    localOrigins: localOrigins(server.environment, addresses),
    brand,
    defaultLanguage,
    ...stores,
    ...sessions,
    ...accounts,
    mail: smtpUrl && from ? { smtpUrl, from } : null,
    operators: operatorOrigin && { origin: operatorOrigin, addresses: operatorAddresses },
    ...payments,
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

/** So that a new site needs neither a setting nor a restart; never in production, where they would be anybody's. */
function localOrigins(
  environment: Settings['environment'],
  { mainOrigin, isRegistryOnly }: Pick<Settings, 'mainOrigin' | 'isRegistryOnly'>,
): ReadonlySet<Origin> {
  if (environment !== 'development' || isRegistryOnly) return new Set()
  return new Set(LOCAL_ORIGINS.filter(origin => origin !== mainOrigin))
}

/** Without payments, nothing of them is read: what is left of an earlier installation can be at fault. */
function readPayments(sheet: SettingSheet): Pick<Settings, 'stripe' | 'plansFile' | 'paymentGraceSeconds'> {
  const { takesPayments: toggle, ...table } = PAYMENT_SETTINGS
  const { takesPayments } = sheet.read({ takesPayments: toggle })
  if (!(takesPayments ?? sheet.hasAnyOf(table)))
    return { stripe: null, plansFile: null, paymentGraceSeconds: Number(table.paymentGraceSeconds.default) }
  const before = sheet.faults.length
  const { plansFile, paymentGraceSeconds, checkout, ...stripe } = sheet.read(table)
  if (sheet.faults.slice(before).some(fault => fault.endsWith(IS_MISSING)))
    sheet.faults.push('PAYMENTS=off is for an installation that sells nothing')
  return { stripe: { ...stripe, ...checkout }, plansFile, paymentGraceSeconds }
}

/** Empty while the origin is missing, which is a fault by itself. */
function hostOf(origin: Origin): string {
  return URL.canParse(origin) ? new URL(origin).hostname : ''
}

/** A fault when only one of two settings that belong together is set, whether its value is valid or not. */
function unpaired(names: string, one: unknown, other: unknown): string[] {
  return (one === null) === (other === null) ? [] : [`${names} must be set together`]
}

/** A client that is used refreshes once in the life of an access token, so a shorter timeout would end sessions in use. */
function idleFaults({
  sessionIdleSeconds,
  accessTokenTtlSeconds,
}: Pick<Settings, 'sessionIdleSeconds' | 'accessTokenTtlSeconds'>): string[] {
  const least = leastIdleSeconds({ accessTokenTtlSeconds })
  return sessionIdleSeconds === null || sessionIdleSeconds >= least
    ? []
    : [`SESSION_IDLE_SECONDS must be at least ${least}, twice ACCESS_TOKEN_TTL_SECONDS`]
}

type CookieAddresses = Pick<Settings, 'cookieDomain' | 'mainOrigin' | 'publicUrl'>

/**
 * A browser only takes the cookie if both the main site and the API lie under its domain (RFC 6265bis §5.7).
 */
function cookieDomainFaults({ cookieDomain, mainOrigin, publicUrl }: CookieAddresses): string[] {
  if (!cookieDomain) return []
  const others = [mainOrigin, publicUrl]
    .filter(text => URL.canParse(text))
    .map(text => new URL(text).hostname)
    .filter(hostname => hostname !== cookieDomain)
  const uncovered = others.filter(hostname => !isWithin(hostname, cookieDomain))
  if (uncovered.length > 0)
    return uncovered.map(
      hostname =>
        `COOKIE_DOMAIN ${cookieDomain} does not cover ${hostname}, so browsers would refuse the cookie`,
    )
  if (others.length === 0 || !isSharedDomain(cookieDomain)) return []
  return [
    `COOKIE_DOMAIN ${cookieDomain} is shared by everybody who has a name under it, so browsers would refuse the cookie`,
  ]
}

interface OtherAddresses extends Pick<Settings, 'mainOrigin' | 'publicUrl'> {
  readonly allowedOrigins: readonly Origin[] | undefined
}

/** What is wrong with the address of the operator console. A setting that is itself wrong is undefined. */
function operatorFaults(
  origin: Origin | null | undefined,
  addresses: readonly string[] | undefined,
  { mainOrigin, publicUrl, allowedOrigins = [] }: OtherAddresses,
): string[] {
  if (!origin) return []
  const { hostname } = new URL(origin)
  // Cookies do not know ports.
  const taken = [mainOrigin, publicUrl, ...allowedOrigins].filter(
    other => URL.canParse(other) && new URL(other).hostname === hostname,
  )
  return [
    ...(taken.length > 0
      ? [`OPERATOR_ORIGIN ${origin} has the host of ${taken[0]}; the console needs one of its own`]
      : []),
    ...(addresses?.length === 0 ? ['OPERATOR_ADDRESSES must say from where the console can be reached'] : []),
  ]
}

type PasskeyAddresses = Pick<Settings, 'mainOrigin' | 'passkeyRelatedOrigins'>

/** Browsers stop reading related origins after five different labels (WebAuthn Level 3 §5.11.1). */
const MAX_LABELS = 5

/**
 * What is wrong with the domain and the origins of passkeys. `rpId` is null when it is not set, `allowedOrigins`
 * undefined when that setting is itself missing or wrong.
 */
function passkeyFaults(
  rpId: string | null | undefined,
  { mainOrigin, passkeyRelatedOrigins: related = [] }: PasskeyAddresses,
  allowedOrigins: readonly Origin[] | undefined,
): string[] {
  return [...rpIdFaults(rpId, mainOrigin), ...relatedFaults(related, mainOrigin, allowedOrigins)]
}

function rpIdFaults(rpId: string | null | undefined, mainOrigin: Origin): string[] {
  if (!rpId || !URL.canParse(mainOrigin)) return []
  const { hostname } = new URL(mainOrigin)
  if (rpId === hostname) return []
  if (!isWithin(hostname, rpId))
    return [`PASSKEY_RP_ID ${rpId} does not cover ${hostname}, so browsers would refuse all passkeys`]
  if (!isSharedDomain(rpId)) return []
  return [`PASSKEY_RP_ID ${rpId} is shared by everybody who has a name under it, so browsers would refuse it`]
}

function relatedFaults(
  related: readonly Origin[],
  mainOrigin: Origin,
  allowedOrigins: readonly Origin[] | undefined,
): string[] {
  const unlisted = related.filter(
    origin => origin === mainOrigin || (allowedOrigins && !allowedOrigins.includes(origin)),
  )
  const labels = new Set(related.map(labelOf))
  return [
    ...unlisted.map(
      origin => `PASSKEY_RELATED_ORIGINS has ${origin}, which is no satellite of ALLOWED_ORIGINS`,
    ),
    ...(labels.size > MAX_LABELS
      ? [`PASSKEY_RELATED_ORIGINS has ${labels.size} names; browsers stop at ${MAX_LABELS}`]
      : []),
  ]
}

/** The registered name: `brand` of `https://www.brand.co.uk`. */
function labelOf(origin: Origin): string {
  const { hostname, domainWithoutSuffix } = parse(origin, { allowPrivateDomains: true })
  return domainWithoutSuffix || (hostname ?? origin)
}
