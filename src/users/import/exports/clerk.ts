import {
  type ExportedPassword,
  type ExportFormat,
  type ExportRecord,
  fullName,
  NO_PASSWORD,
  textOf,
} from './export-format.js'

/** Their digests are texts that include their own parameters. */
const KEPT_HASHERS = ['bcrypt', 'argon2i', 'argon2id']

/**
 * Clerk. First file: the export from its dashboard (CSV), the only one with password hashes. Second: the
 * export from its command line (JSON), the only one with metadata and bans.
 */
export const CLERK: ExportFormat = {
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
      password: passwordOf(record),
      totpSecret: textOf(record.totp_secret),
      lost: textOf(record.primary_phone_number) ? ['a phone number'] : [],
    }
  },
}

function addressesIn(value: unknown): string[] {
  return (textOf(value) ?? '').split(/[\s,;|]+/)
}

function passwordOf({ password_digest: digest, password_hasher: hasher }: ExportRecord): ExportedPassword {
  const hash = textOf(digest)
  if (!hash) return NO_PASSWORD
  const name = textOf(hasher) ?? 'unknown'
  return KEPT_HASHERS.includes(name) ? { hash } : { missing: `hashed by ${name}` }
}
