import {
  type ExportFormat,
  type ExportRecord,
  jsonIn,
  NO_PASSWORD,
  recordOf,
  textOf,
} from './export-format.js'

/** Supabase: the table `auth.users` as CSV with a header, all columns or those that are read here. */
export const SUPABASE: ExportFormat = {
  files: 'csv',
  reader: () => record => {
    const hash = textOf(record.encrypted_password)
    return {
      id: textOf(record.id) ?? '?',
      email: textOf(record.email),
      isEmailVerified: textOf(record.email_confirmed_at) !== null,
      isBlocked: isBlocked(record),
      name: nameOf(recordOf(jsonIn(record.raw_user_meta_data))),
      password: hash ? { hash } : NO_PASSWORD,
      totpSecret: null,
      lost: textOf(record.phone) ? ['a phone number'] : [],
    }
  },
}

/** A ban without an end is one to `infinity`, which is no date to JavaScript. */
function isBlocked({ deleted_at: deletedAt, banned_until: bannedUntil }: ExportRecord): boolean {
  const until = textOf(bannedUntil)
  return textOf(deletedAt) !== null || (until !== null && !(new Date(until).getTime() < Date.now()))
}

function nameOf({ full_name: fullName, name, display_name: displayName }: ExportRecord): string | null {
  return textOf(fullName) ?? textOf(name) ?? textOf(displayName)
}
