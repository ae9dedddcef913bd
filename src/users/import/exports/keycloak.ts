import { base32Of } from '../../../factors/totp.js'
import {
  type ExportedPassword,
  type ExportFormat,
  type ExportRecord,
  fullName,
  jsonIn,
  listOf,
  NO_PASSWORD,
  recordOf,
  textOf,
  unpadded,
} from './export-format.js'

const PBKDF2_SCHEMES: Readonly<Record<string, string>> = {
  pbkdf2: 'pbkdf2-sha1',
  'pbkdf2-sha256': 'pbkdf2-sha256',
  'pbkdf2-sha512': 'pbkdf2-sha512',
}

/** The Argon2 version in hash texts, by Keycloak's name for it. */
const ARGON2_VERSIONS: Readonly<Record<string, number>> = { '1.0': 16, '1.3': 19 }

/** Keycloak: `kc.sh export`, in one file or several (`<realm>-users-<n>.json`). */
export const KEYCLOAK: ExportFormat = {
  files: 'json',
  reader: () => record => {
    const credentials = listOf(record.credentials).map(credential => recordOf(credential))
    return {
      id: textOf(record.id) ?? textOf(record.username) ?? '?',
      email: textOf(record.email),
      isEmailVerified: record.emailVerified === true,
      isBlocked: record.enabled === false,
      name: fullName(record.firstName, record.lastName),
      password: passwordOf(credentials),
      totpSecret: totpSecretOf(credentials),
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

function passwordOf(credentials: readonly ExportRecord[]): ExportedPassword {
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
function totpSecretOf(credentials: readonly ExportRecord[]): string | null {
  const parts = partsOf(credentials, 'otp')
  const value = textOf(parts?.secret.value)
  if (!parts || !value) return null
  const { subType, digits, period, algorithm, secretEncoding } = parts.data
  if (subType !== 'totp' || digits !== 6 || period !== 30 || algorithm !== 'HmacSHA1') return null
  return secretEncoding === 'BASE32' ? value : base32Of(Buffer.from(value))
}
