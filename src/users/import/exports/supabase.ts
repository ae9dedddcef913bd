import {
  type ExportFormat,
  type ExportRecord,
  jsonIn,
  listOf,
  NO_PASSWORD,
  recordOf,
  textOf,
} from './export-format.js'

/** Supabase: the table `auth.users` as CSV with a header, all columns or those that are read here. */
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

/** A ban without an end is one to `infinity`, which is no date to JavaScript. */
function isBlocked({ deleted_at: deletedAt, banned_until: bannedUntil }: ExportRecord, now: Date): boolean {
  const until = textOf(bannedUntil)
  return textOf(deletedAt) !== null || (until !== null && !(new Date(until) < now))
}

/** Supabase keeps them beside what a project has written there itself. */
function providersOf({ raw_app_meta_data: metadata }: ExportRecord): string[] {
  return listOf(recordOf(jsonIn(metadata)).providers)
    .filter(provider => provider !== 'email' && provider !== 'phone')
    .map(provider => `a login with ${textOf(provider) ?? 'another service'}`)
}

function nameOf({ full_name: fullName, name, display_name: displayName }: ExportRecord): string | null {
  return textOf(fullName) ?? textOf(name) ?? textOf(displayName)
}
