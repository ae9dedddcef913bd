import { base32Of } from '../../factors/totp.js'
import { firebaseHashText } from '../../users/passwords/hashes.js'
import {
  ExportError,
  type ExportedPassword,
  type ExportFormat,
  type ExportRecord,
  fullName,
  isTrue,
  jsonIn,
  listOf,
  NO_PASSWORD,
  recordOf,
  textOf,
  unpadded,
} from './export-records.js'

/**
 * Auth0. First file: users from a bulk export job (JSON lines). Second: password hashes as sent by its
 * support, which identify users by the id after `auth0 `; they become the field `passwordHash`.
 */
const AUTH0: ExportFormat = {
  files: 'json lines',
  join: {
    files: 'json lines',
    keyOf: record => /^auth0\|(.+)$/.exec(textOf(record.user_id) ?? '')?.[1] ?? null,
    keyOfOther: ({ _id: id }) => textOf(recordOf(id).$oid) ?? textOf(id),
  },
  reader: () => record => {
    const hash = textOf(record.passwordHash)
    return {
      id: textOf(record.user_id) ?? '?',
      email: textOf(record.email),
      isEmailVerified: record.email_verified === true,
      isBlocked: record.blocked === true,
      name: auth0Name(record),
      password: hash ? { hash } : NO_PASSWORD,
      totpSecret: null,
      lost: [...auth0Providers(record), ...listOf(record.multifactor).map(() => 'a second factor')],
    }
  },
}

/** Auth0 uses the e-mail address as the name of users without one. */
function auth0Name({ name, email }: ExportRecord): string | null {
  return name === email ? null : textOf(name)
}

function auth0Providers({ identities }: ExportRecord): string[] {
  return listOf(identities)
    .map(identity => textOf(recordOf(identity).provider) ?? 'another service')
    .filter(provider => provider !== 'auth0')
    .map(provider => `a login with ${provider}`)
}

/** Salt and key in hexadecimal. */
const SCRYPT = /^([0-9a-f]{32}):([0-9a-f]{128})$/i
/** Better Auth's parameters, which it does not write into the hash: N=16384, r=16, p=1. */
const SCRYPT_PARAMETERS = 'ln=14,r=16,p=1'

/** Better Auth: its tables `user` and `account` joined (docs/moving.md has the query), as CSV with a header. */
const BETTER_AUTH: ExportFormat = {
  files: 'csv',
  reader: () => record => ({
    id: textOf(record.id) ?? '?',
    email: textOf(record.email),
    isEmailVerified: isTrue(record.emailVerified ?? record.email_verified),
    isBlocked: isTrue(record.banned),
    name: textOf(record.name),
    password: betterAuthPassword(record),
    totpSecret: null,
    lost: isTrue(record.twoFactorEnabled ?? record.two_factor_enabled) ? ['a second factor'] : [],
  }),
}

function betterAuthPassword({ password }: ExportRecord): ExportedPassword {
  const text = textOf(password)
  if (!text) return NO_PASSWORD
  const [, salt, key] = SCRYPT.exec(text) ?? []
  // A project with its own hash function may have hashes that carry their parameters.
  if (!salt || !key) return { hash: text }
  // The salt is the hexadecimal text itself, not the bytes that it encodes.
  return {
    hash: `$scrypt$${SCRYPT_PARAMETERS}$${base64Of(salt)}$${base64Of(key, 'hex')}`,
  }
}

function base64Of(text: string, encoding: BufferEncoding = 'utf8'): string {
  return unpadded(Buffer.from(text, encoding).toString('base64'))
}

/** Their digests are texts that include their own parameters. */
const KEPT_HASHERS = ['bcrypt', 'argon2i', 'argon2id']

/**
 * Clerk. First file: the export from its dashboard (CSV), the only one with password hashes. Second: the
 * export from its command line (JSON), the only one with metadata and bans.
 */
const CLERK: ExportFormat = {
  files: 'csv',
  join: { files: 'json', keyOf: ({ id }) => textOf(id), keyOfOther: ({ id }) => textOf(id) },
  reader: () => record => {
    const email = textOf(record.primary_email_address)
    return {
      id: textOf(record.id) ?? '?',
      email,
      isEmailVerified: email !== null && addressesIn(record.verified_email_addresses).includes(email),
      // Not `locked`, which ends by itself some time after too many failed logins.
      isBlocked: record.banned === true,
      name: fullName(record.first_name, record.last_name),
      password: clerkPassword(record),
      totpSecret: textOf(record.totp_secret),
      lost: textOf(record.primary_phone_number) ? ['a phone number'] : [],
    }
  },
}

function addressesIn(value: unknown): string[] {
  return (textOf(value) ?? '').split(/[\s,;|]+/)
}

function clerkPassword({ password_digest: digest, password_hasher: hasher }: ExportRecord): ExportedPassword {
  const hash = textOf(digest)
  if (!hash) return NO_PASSWORD
  const name = textOf(hasher) ?? 'unknown'
  return KEPT_HASHERS.includes(name) ? { hash } : { missing: `hashed by ${name}` }
}

/** A project's parameters, as the Firebase console shows them. */
interface HashConfig {
  readonly signerKey: Buffer
  readonly saltSeparator: Buffer
  readonly ln: number
  readonly r: number
}

/** Firebase: `firebase auth:export users.json`, with the hash parameters of the project. */
const FIREBASE: ExportFormat = {
  files: 'json',
  reader: hashConfig => {
    const config = hashConfig === null ? null : configOf(recordOf(hashConfig))
    return record => ({
      id: textOf(record.localId) ?? '?',
      email: textOf(record.email),
      isEmailVerified: record.emailVerified === true,
      isBlocked: record.disabled === true,
      name: textOf(record.displayName),
      password: firebasePassword(record, config),
      totpSecret: null,
      lost: [
        ...listOf(record.providerUserInfo)
          .map(provider => textOf(recordOf(provider).providerId) ?? 'another service')
          .filter(provider => provider !== 'password')
          .map(provider => (provider === 'phone' ? 'a phone number' : `a login with ${provider}`)),
        ...listOf(record.mfaInfo).map(() => 'a second factor'),
      ],
    })
  },
}

function configOf(config: ExportRecord): HashConfig {
  const signerKey = textOf(config.base64_signer_key)
  const { algorithm, rounds, mem_cost: memoryCost } = config
  if (algorithm !== 'SCRYPT' || !signerKey || typeof rounds !== 'number' || typeof memoryCost !== 'number')
    throw new ExportError(
      'The hash parameters must be JSON with algorithm SCRYPT, base64_signer_key, base64_salt_separator, rounds and mem_cost',
    )
  return {
    signerKey: Buffer.from(signerKey, 'base64'),
    saltSeparator: Buffer.from(textOf(config.base64_salt_separator) ?? '', 'base64'),
    ln: memoryCost,
    r: rounds,
  }
}

function firebasePassword(record: ExportRecord, config: HashConfig | null): ExportedPassword {
  const [hash, salt] = [textOf(record.passwordHash), textOf(record.salt)]
  if (!hash || !salt) return NO_PASSWORD
  if (!config) return { missing: 'no hash parameters given (--hash-config)' }
  const [hashBytes, saltBytes] = [Buffer.from(hash, 'base64'), Buffer.from(salt, 'base64')]
  return { hash: firebaseHashText({ ...config, p: 1, salt: saltBytes, hash: hashBytes }) }
}

const PBKDF2_SCHEMES: Readonly<Record<string, string>> = {
  pbkdf2: 'pbkdf2-sha1',
  'pbkdf2-sha256': 'pbkdf2-sha256',
  'pbkdf2-sha512': 'pbkdf2-sha512',
}

/** The Argon2 version in hash texts, by Keycloak's name for it. */
const ARGON2_VERSIONS: Readonly<Record<string, number>> = { '1.0': 16, '1.3': 19 }

/** Keycloak: `kc.sh export`, in one file or several (`<realm>-users-<n>.json`). */
const KEYCLOAK: ExportFormat = {
  files: 'json',
  reader: () => record => {
    const credentials = listOf(record.credentials).map(credential => recordOf(credential))
    return {
      id: textOf(record.id) ?? textOf(record.username) ?? '?',
      email: textOf(record.email),
      isEmailVerified: record.emailVerified === true,
      isBlocked: record.enabled === false,
      name: fullName(record.firstName, record.lastName),
      password: keycloakPassword(credentials),
      totpSecret: keycloakTotpSecret(credentials),
      lost: [
        ...listOf(record.federatedIdentities).map(
          identity => `a login with ${textOf(recordOf(identity).identityProvider) ?? 'another service'}`,
        ),
        ...credentials.filter(isPasskey).map(() => 'a passkey'),
      ],
    }
  },
}

function isPasskey({ type }: ExportRecord): boolean {
  return textOf(type)?.startsWith('webauthn') ?? false
}

/** Both halves of a credential are JSON in a string. */
function partsOf(credentials: readonly ExportRecord[], type: string) {
  const found = credentials.find(credential => credential.type === type)
  if (!found) return null
  return { data: recordOf(jsonIn(found.credentialData)), secret: recordOf(jsonIn(found.secretData)) }
}

function keycloakPassword(credentials: readonly ExportRecord[]): ExportedPassword {
  const parts = partsOf(credentials, 'password')
  if (!parts) return NO_PASSWORD
  const algorithm = textOf(parts.data.algorithm) ?? 'unknown'
  const value = unpadded(textOf(parts.secret.value) ?? '')
  const salt = unpadded(textOf(parts.secret.salt) ?? '')
  const scheme = PBKDF2_SCHEMES[algorithm]
  if (scheme) return { hash: `$${scheme}$i=${parts.data.hashIterations}$${salt}$${value}` }
  if (algorithm === 'argon2') return { hash: `${argon2Parameters(parts.data)}$${salt}$${value}` }
  return { missing: `hashed by ${algorithm}` }
}

function argon2Parameters({ hashIterations, additionalParameters }: ExportRecord): string {
  const first = (name: string) => textOf(listOf(recordOf(additionalParameters)[name])[0]) ?? ''
  const version = ARGON2_VERSIONS[first('version')]
  return `$argon2${first('type')}$v=${version}$m=${first('memory')},t=${hashIterations},p=${first('parallelism')}`
}

/** Only secrets of the kind that every authenticator app supports, which is the kind that we verify. */
function keycloakTotpSecret(credentials: readonly ExportRecord[]): string | null {
  const parts = partsOf(credentials, 'otp')
  const value = textOf(parts?.secret.value)
  if (!parts || !value) return null
  const { subType, digits, period, algorithm, secretEncoding } = parts.data
  if (subType !== 'totp' || digits !== 6 || period !== 30 || algorithm !== 'HmacSHA1') return null
  return secretEncoding === 'BASE32' ? value : base32Of(Buffer.from(value))
}

/** Supabase: the table `auth.users` as CSV with a header, with all columns or only those read here. */
const SUPABASE: ExportFormat = {
  files: 'csv',
  reader: (_, now) => record => {
    const hash = textOf(record.encrypted_password)
    return {
      id: textOf(record.id) ?? '?',
      email: textOf(record.email),
      isEmailVerified: textOf(record.email_confirmed_at) !== null,
      isBlocked: isBlockedInSupabase(record, now),
      name: supabaseName(recordOf(jsonIn(record.raw_user_meta_data))),
      password: hash ? { hash } : NO_PASSWORD,
      totpSecret: null,
      lost: [...supabaseProviders(record), ...(textOf(record.phone) ? ['a phone number'] : [])],
    }
  },
}

/** A permanent ban lasts until `infinity`, which is not a date in JavaScript. */
function isBlockedInSupabase(
  { deleted_at: deletedAt, banned_until: bannedUntil }: ExportRecord,
  now: Date,
): boolean {
  const until = textOf(bannedUntil)
  return textOf(deletedAt) !== null || (until !== null && !(new Date(until) < now))
}

/** Supabase stores them next to the project's own data. */
function supabaseProviders({ raw_app_meta_data: metadata }: ExportRecord): string[] {
  return listOf(recordOf(jsonIn(metadata)).providers)
    .filter(provider => provider !== 'email' && provider !== 'phone')
    .map(provider => `a login with ${textOf(provider) ?? 'another service'}`)
}

function supabaseName({ full_name: fullName, name, display_name: displayName }: ExportRecord): string | null {
  return textOf(fullName) ?? textOf(name) ?? textOf(displayName)
}

/** By the name that `users:convert` takes. */
export const EXPORT_FORMATS: Readonly<Record<string, ExportFormat>> = {
  auth0: AUTH0,
  'better-auth': BETTER_AUTH,
  clerk: CLERK,
  firebase: FIREBASE,
  keycloak: KEYCLOAK,
  supabase: SUPABASE,
}
