import { firebaseHashText } from '../../passwords/firebase-hash.js'
import {
  ExportError,
  type ExportedPassword,
  type ExportFormat,
  type ExportRecord,
  listOf,
  NO_PASSWORD,
  recordOf,
  textOf,
} from './export-format.js'

/** A project's parameters, as the Firebase console shows them. */
interface HashConfig {
  readonly signerKey: Buffer
  readonly saltSeparator: Buffer
  readonly ln: number
  readonly r: number
}

/** Firebase: `firebase auth:export users.json`, with the hash parameters of the project. */
export const FIREBASE: ExportFormat = {
  files: 'json',
  reader: hashConfig => {
    const config = hashConfig === null ? null : configOf(recordOf(hashConfig))
    return record => ({
      id: textOf(record.localId) ?? '?',
      email: textOf(record.email),
      isEmailVerified: record.emailVerified === true,
      isBlocked: record.disabled === true,
      name: textOf(record.displayName),
      password: passwordOf(record, config),
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

function passwordOf(record: ExportRecord, config: HashConfig | null): ExportedPassword {
  const [hash, salt] = [textOf(record.passwordHash), textOf(record.salt)]
  if (!hash || !salt) return NO_PASSWORD
  if (!config) return { missing: 'no hash parameters given (--hash-config)' }
  const [hashBytes, saltBytes] = [Buffer.from(hash, 'base64'), Buffer.from(salt, 'base64')]
  return { hash: firebaseHashText({ ...config, p: 1, salt: saltBytes, hash: hashBytes }) }
}
