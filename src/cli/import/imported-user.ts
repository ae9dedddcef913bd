import { createHash } from 'node:crypto'
import { isUUID } from 'class-validator'
import { stepOfCode } from '../../factors/totp.js'
import { LANGUAGES, type LanguageName } from '../../platform/config/languages.js'
import { PERMISSIONS, type Permission, type Permissions, permissionsOf } from '../../platform/permissions.js'
import { canonicalEmail, type Email } from '../../users/email.js'
import { isName } from '../../users/name-text.js'
import { readImportedHash, UnusableHash } from '../../users/passwords/hashes.js'
import { initialGrant, type Role } from '../../users/user.js'

/** A user as described by one line of the file. */
export interface ImportedUser {
  readonly email: Email
  readonly name: string | null
  readonly role: Role
  readonly granted: Permissions
  /** At least one origin; whether they are satellites of the account is not checked yet. Null means all. */
  readonly satellites: readonly string[] | null
  readonly passwordHash: string | null
  /** The secret of their authenticator app, in base32; null without one. */
  readonly totpSecret: string | null
  /** The language of mails to them; null takes it from their browser. */
  readonly language: LanguageName | null
  readonly account: ImportedAccount
}

/**
 * `own`: a new account for this owner alone. `keyed`: shared by all lines with the same key, created if it
 * does not exist. `existing`: one that already exists here. `customerId`: who pays for it at the payment provider
 * already; null on the line of a member.
 */
type ImportedAccount =
  | { readonly kind: 'own' }
  | { readonly kind: 'keyed' | 'existing'; readonly id: string; readonly customerId: string | null }

/** What is wrong with a line, worded for the operator. Never quotes the line, which may contain a hash. */
export class LineFault extends Error {}

type Fields = Readonly<Record<string, unknown>>

const FIELDS = [
  'email',
  'name',
  'role',
  'permissions',
  'satellites',
  'passwordHash',
  'totpSecret',
  'language',
  'account',
  'accountId',
  'customer',
]

const MAX_KEY_LENGTH = 200
/** As in the API. */
const MAX_SATELLITES = 50

/** Reads a line; throws {@link LineFault}. */
export function readImportedUser(text: string): ImportedUser {
  const fields = objectOf(text)
  const unknown = Object.keys(fields).filter(name => !FIELDS.includes(name))
  if (unknown.length > 0) throw new LineFault(`has an unknown field; known: ${FIELDS.join(', ')}`)
  const role = roleOf(fields)
  return {
    email: emailOf(fields),
    name: nameOf(fields),
    role,
    granted: grantedOf(fields, role),
    satellites: satellitesOf(fields, role),
    passwordHash: passwordHashOf(fields),
    totpSecret: totpSecretOf(fields),
    language: languageOf(fields),
    account: accountOf(fields, role, customerOf(fields, role)),
  }
}

function objectOf(text: string): Fields {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new LineFault('is not a JSON object')
  return value as Fields
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The message of JSON.parse quotes the line.
    throw new LineFault('is not JSON')
  }
}

function emailOf({ email }: Fields): Email {
  const canonical = typeof email === 'string' ? canonicalEmail(email) : null
  if (!canonical) throw new LineFault('email must be an e-mail address')
  return canonical
}

function nameOf({ name = null }: Fields): string | null {
  if (name !== null && !isName(name)) throw new LineFault('name must be one line of 1 to 100 characters')
  return name
}

function languageOf({ language = null }: Fields): LanguageName | null {
  if (language === null || LANGUAGES.includes(language as LanguageName))
    return language as LanguageName | null
  throw new LineFault(`language must be one of ${LANGUAGES.join(', ')}`)
}

function roleOf({ role }: Fields): Role {
  if (role !== 'owner' && role !== 'member') throw new LineFault('role must be owner or member')
  return role
}

function grantedOf({ permissions = null }: Fields, role: Role): Permissions {
  if (permissions === null) return initialGrant(role)
  const isList =
    Array.isArray(permissions) && permissions.every(name => PERMISSIONS.includes(name as Permission))
  if (!isList) throw new LineFault(`permissions must be a list of ${PERMISSIONS.join(', ')}`)
  const granted = permissionsOf(permissions)
  if (role === 'owner' && !PERMISSIONS.every(name => granted[name]))
    throw new LineFault('permissions must be left out for an owner, who has them all')
  return granted
}

function satellitesOf({ satellites = null }: Fields, role: Role): readonly string[] | null {
  if (satellites === null) return null
  const isList = Array.isArray(satellites) && satellites.every(isOrigin)
  const origins = new Set(isList ? (satellites as string[]) : [])
  if (origins.size === 0 || origins.size > MAX_SATELLITES)
    throw new LineFault(`satellites must be a list of 1 to ${MAX_SATELLITES} origins`)
  if (role === 'owner') throw new LineFault('satellites must be left out for an owner, who has them all')
  return [...origins]
}

/** Or a pattern of origins, `https://*.example.com`. */
function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value
}

function passwordHashOf({ passwordHash = null }: Fields): string | null {
  if (passwordHash === null) return null
  if (typeof passwordHash !== 'string') throw new LineFault('passwordHash must be text')
  try {
    readImportedHash(passwordHash)
    return passwordHash
  } catch (error) {
    if (error instanceof UnusableHash) throw new LineFault(`passwordHash ${error.message}`)
    throw error
  }
}

function totpSecretOf({ totpSecret = null }: Fields): string | null {
  if (totpSecret === null) return null
  const secret = typeof totpSecret === 'string' ? usableTotpSecret(totpSecret) : null
  if (secret === null) throw new LineFault('totpSecret must be base32 of 128 to 512 bits')
  return secret
}

function customerOf({ customer = null }: Fields, role: Role): string | null {
  if (customer === null) return null
  if (typeof customer !== 'string' || !isCustomerId(customer))
    throw new LineFault('customer must be the id of a Stripe customer: cus_…')
  if (role === 'member') throw new LineFault('customer must be left out for a member: the account pays')
  return customer
}

/** Whether text has the form of the payment provider's id of a customer. */
export function isCustomerId(text: string): boolean {
  return /^cus_\w{1,250}$/.test(text)
}

function accountOf(
  { account = null, accountId = null }: Fields,
  role: Role,
  customerId: string | null,
): ImportedAccount {
  if (account !== null && accountId !== null) throw new LineFault('must have account or accountId, not both')
  if (accountId !== null) {
    if (!isUUID(accountId)) throw new LineFault('accountId must be the id of an existing account')
    return { kind: 'existing', id: (accountId as string).toLowerCase(), customerId }
  }
  if (account !== null) {
    if (typeof account !== 'string' || account === '' || account.length > MAX_KEY_LENGTH)
      throw new LineFault(`account must be text of 1 to ${MAX_KEY_LENGTH} characters`)
    return { kind: 'keyed', id: accountIdOf(account), customerId }
  }
  if (role === 'member') throw new LineFault('must have account or accountId for a member')
  // Otherwise a second run could not tell which account it is.
  if (customerId !== null) throw new LineFault('must have account or accountId with a customer')
  return { kind: 'own' }
}

/**
 * The same key gives the same account, in later files too, without anything to remember: a UUID of version 8
 * (RFC 9562 §5.8).
 */
function accountIdOf(key: string): string {
  const bytes = createHash('sha256').update(`mainstay account of import:${key}`).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Any time will do to test whether a secret is usable. */
const SOME_TIME = new Date(1e12)
/** From the 128 bits that RFC 4226 §4 requires up to 512. */
const TOTP_SECRET = /^[A-Z2-7]{26,103}$/

/** Without the spaces, lower case and padding that people and programs add; null when it is not a secret. */
export function usableTotpSecret(text: string): string | null {
  const secret = text.replaceAll(/[\s=]/g, '').toUpperCase()
  return TOTP_SECRET.test(secret) && isUsable(secret) ? secret : null
}

/** Not every text of these letters is base32: the spare bits of the last one must be zero (RFC 4648 §3.5). */
function isUsable(secret: string): boolean {
  try {
    stepOfCode(secret, '000000', SOME_TIME)
    return true
  } catch {
    return false
  }
}
