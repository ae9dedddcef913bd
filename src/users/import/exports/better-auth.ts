import {
  type ExportedPassword,
  type ExportFormat,
  type ExportRecord,
  isTrue,
  NO_PASSWORD,
  textOf,
  unpadded,
} from './export-format.js'

/** Salt and key in hexadecimal. */
const SCRYPT = /^([0-9a-f]{32}):([0-9a-f]{128})$/i
/** Better Auth's parameters, which it does not write into the hash: N=16384, r=16, p=1. */
const SCRYPT_PARAMETERS = 'ln=14,r=16,p=1'

/** Better Auth: its tables `user` and `account` joined (docs/moving.md has the query), as CSV with a header. */
export const BETTER_AUTH: ExportFormat = {
  files: 'csv',
  reader: () => record => ({
    id: textOf(record.id) ?? '?',
    email: textOf(record.email),
    isEmailVerified: isTrue(record.emailVerified ?? record.email_verified),
    isBlocked: isTrue(record.banned),
    name: textOf(record.name),
    password: passwordOf(record),
    totpSecret: null,
    lost: isTrue(record.twoFactorEnabled ?? record.two_factor_enabled) ? ['a second factor'] : [],
  }),
}

function passwordOf({ password }: ExportRecord): ExportedPassword {
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
