import { PERMISSIONS, type Permission } from '../../platform/permissions.js'
import { ExportError, type ExportRecord, jsonIn, listOf, recordOf, textOf } from './export-records.js'

/** Fields of a record by path, each with the values of which one must occur. */
type Condition = Readonly<Record<string, readonly unknown[]>>

/**
 * How users of the other system become users of accounts here, as the operator specifies it: see
 * docs/moving.md. Paths use dots: `app_metadata.shop`.
 */
export interface UserMapping {
  /** The path of a record's account; null: every user owns an account of their own. */
  readonly account: string | null
  readonly owner: Condition
  /** Null: members get what an invitation grants. */
  readonly permissions: Partial<Record<Permission, Condition>> | null
  /** The path of the origins of a record's satellites; null: members may log in on all. */
  readonly satellites: string | null
  /** The path of the Stripe customer in the record of an account's owner; null: no account pays yet. */
  readonly customer: string | null
}

export const OWN_ACCOUNTS: UserMapping = {
  account: null,
  owner: {},
  permissions: null,
  satellites: null,
  customer: null,
}

const FIELDS = ['account', 'owner', 'permissions', 'satellites', 'customer']

/** Throws an {@link ExportError} that says what is wrong. */
export function readUserMapping(value: unknown): UserMapping {
  const fields = recordOf(value)
  const unknown = Object.keys(fields).find(name => !FIELDS.includes(name))
  if (unknown !== undefined) throw new ExportError(`The mapping has an unknown field ${unknown}`)
  const { account, owner, permissions, satellites, customer } = fields
  const path = textOf(account)
  if (!path) throw new ExportError('The mapping must say where account is, as a path: "app_metadata.shop"')
  return {
    account: requireTrusted(path),
    owner: conditionOf(owner, 'owner'),
    permissions: permissions === undefined ? null : permissionsIn(recordOf(permissions)),
    satellites: pathIn(satellites, 'satellites'),
    customer: pathIn(customer, 'customer'),
  }
}

/** Null for a field that is left out. */
function pathIn(value: unknown, name: string): string | null {
  if (value === undefined) return null
  const path = textOf(value)
  if (!path) throw new ExportError(`The mapping must give ${name} as a path: "app_metadata.${name}"`)
  return requireTrusted(path)
}

/** In Auth0, Supabase and Clerk, users can write these themselves. */
const WRITTEN_BY_USERS = /^(user_metadata|raw_user_meta_data|unsafe_?metadata)(\.|$)/i

/** Throws an {@link ExportError} for a path to something that users could write to gain rights. */
function requireTrusted(path: string): string {
  if (WRITTEN_BY_USERS.test(path))
    throw new ExportError(
      `The mapping has ${path}, which users write themselves: no user may choose their own account, role or customer`,
    )
  return path
}

function permissionsIn(fields: ExportRecord): Partial<Record<Permission, Condition>> {
  const unknown = Object.keys(fields).find(name => !PERMISSIONS.includes(name as Permission))
  if (unknown !== undefined) throw new ExportError(`The mapping has an unknown permission ${unknown}`)
  return Object.fromEntries(
    Object.entries(fields).map(([name, condition]) => [name, conditionOf(condition, name)]),
  )
}

function conditionOf(value: unknown, name: string): Condition {
  const entries = Object.entries(recordOf(value))
  if (entries.length === 0 || !entries.every(([, values]) => Array.isArray(values)))
    throw new ExportError(`The mapping must give ${name} as {"path": ["value", …]}`)
  for (const [path] of entries) requireTrusted(path)
  return Object.fromEntries(entries) as Condition
}

/** Whether any of the fields has one of its values. */
export function meets(record: ExportRecord, condition: Condition): boolean {
  return Object.entries(condition).some(([path, values]) =>
    valuesAt(record, path).some(value => values.includes(value)),
  )
}

/** The permissions that follow from a record's roles; undefined where the mapping has none. */
export function mappedPermissions(record: ExportRecord, { permissions }: UserMapping) {
  if (permissions === null) return undefined
  return PERMISSIONS.filter(name => {
    const condition = permissions[name]
    return condition !== undefined && meets(record, condition)
  })
}

/** What `users:import` takes. */
const MAX_ACCOUNT_LENGTH = 200

/** The text that identifies the account of a record; otherwise why there is none, worded for the report. */
export function accountAt(
  record: ExportRecord,
  path: string,
): { readonly key: string } | { readonly fault: string } {
  const [value, ...more] = new Set(valuesAt(record, path).filter(each => each !== ''))
  if (value === undefined) return { fault: 'no account' }
  if (more.length > 0) return { fault: 'several accounts' }
  // Larger numbers have been rounded, so that two accounts could become one.
  const isUsable = typeof value === 'string' || Number.isSafeInteger(value)
  const key = String(value)
  if (!isUsable || key.length > MAX_ACCOUNT_LENGTH)
    return { fault: `account is not a whole number or text of at most ${MAX_ACCOUNT_LENGTH} characters` }
  return { key }
}

/**
 * The value at a path, or its values where it is a list; a field with the whole path as its name takes
 * precedence.
 */
export function valuesAt(record: ExportRecord, path: string): readonly unknown[] {
  const value = path in record ? record[path] : path.split('.').reduce<unknown>(fieldOf, record)
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? listOf(value) : [value]
}

/** A CSV field may contain JSON as text. */
function fieldOf(value: unknown, name: string): unknown {
  const fields = recordOf(jsonIn(value))
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}
