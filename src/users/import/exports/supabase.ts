import {
  type ExportFormat,
  type ExportRecord,
  jsonIn,
  listOf,
  NO_PASSWORD,
  recordOf,
  textOf,
} from './export-format.js'

/** Supabase: the table `auth.users` as CSV with a header, with all columns or only those read here. */
export const SUPABASE: ExportFormat = {
  files: 'csv',
  reader: (_, now) => record => {
    const hash = textOf(record.encrypted_password)
    return {
      id: textOf(record.id) ?? '?',
      email: textOf(record.email),
      isEmailVerified: textOf(record.email_confirmed_at) !== null,
      isBlocked: isBlocked(record, now),
      name: nameOf(recordOf(jsonIn(record.raw_user_meta_data))),
      password: hash ? { hash } : NO_PASSWORD,
      totpSecret: null,
      lost: [...providersOf(record), ...(textOf(record.phone) ? ['a phone number'] : [])],
    }
  },
}

/** A permanent ban lasts until `infinity`, which is not a date in JavaScript. */
function isBlocked({ deleted_at: deletedAt, banned_until: bannedUntil }: ExportRecord, now: Date): boolean {
  const until = textOf(bannedUntil)
  return textOf(deletedAt) !== null || (until !== null && !(new Date(until) < now))
}

/** Supabase stores them next to the project's own data. */
function providersOf({ raw_app_meta_data: metadata }: ExportRecord): string[] {
  return listOf(recordOf(jsonIn(metadata)).providers)
    .filter(provider => provider !== 'email' && provider !== 'phone')
    .map(provider => `a login with ${textOf(provider) ?? 'another service'}`)
}

function nameOf({ full_name: fullName, name, display_name: displayName }: ExportRecord): string | null {
  return textOf(fullName) ?? textOf(name) ?? textOf(displayName)
}
