import { hash } from 'node:crypto'
import type { auditLog } from '../platform/database/schema/audit.js'

/** A row of the audit log as stored in the database. */
export type AuditRow = typeof auditLog.$inferSelect

/** What the first row of the chain is chained to. */
export const GENESIS_HASH = '0'.repeat(64)

/** The seal of a row: SHA-256, in hex, of the previous hash (as text) and the row in canonical form. */
export function chainHash(previous: string, row: AuditRow): string {
  return hash('sha256', previous + canonicalRow(row), 'hex')
}

/**
 * The row as JSON in the form of RFC 8785: names in order, no white space; times in ISO 8601 with
 * milliseconds. Columns that are null are left out, so that adding a column changes no seal.
 */
export function canonicalRow(row: AuditRow): string {
  return canonicalJson(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)))
}

function canonicalJson(value: unknown): string {
  if (value instanceof Date) return JSON.stringify(isoTime(value))
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/** Never throws: an impossible time in a changed row must be reported, not stop the check. */
function isoTime(time: Date): string {
  return Number.isNaN(time.getTime()) ? 'no time' : time.toISOString()
}
