import {
  type ExportFormat,
  type ExportRecord,
  listOf,
  NO_PASSWORD,
  recordOf,
  textOf,
} from './export-format.js'

/**
 * Auth0. First file: users from a bulk export job (JSON lines). Second: password hashes as sent by its
 * support, which identify users by the id after `auth0 `; they become the field `passwordHash`.
 */
export const AUTH0: ExportFormat = {
  files: 'json lines',
  join: {
    files: 'json lines',
    keyOf: record => /^auth0\|(.+)$/.exec(textOf(record.user_id) ?? '')?.[1] ?? null,
    keyOfOther: ({ _id: id }) => textOf(recordOf(id).$oid) ?? textOf(id),
  },
  reader: () => record => {
    const hash = textOf(record.passwordHash)
    return {
      id: textOf(record.user_id) ?? '?',
      email: textOf(record.email),
      isEmailVerified: record.email_verified === true,
      isBlocked: record.blocked === true,
      name: nameOf(record),
      password: hash ? { hash } : NO_PASSWORD,
      totpSecret: null,
      lost: [...providersOf(record), ...listOf(record.multifactor).map(() => 'a second factor')],
    }
  },
}

/** Auth0 uses the e-mail address as the name of users without one. */
function nameOf({ name, email }: ExportRecord): string | null {
  return name === email ? null : textOf(name)
}

function providersOf({ identities }: ExportRecord): string[] {
  return listOf(identities)
    .map(identity => textOf(recordOf(identity).provider) ?? 'another service')
    .filter(provider => provider !== 'auth0')
    .map(provider => `a login with ${provider}`)
}
