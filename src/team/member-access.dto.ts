import { ApiError } from '../platform/errors/api-error.js'
import { fieldError } from '../platform/errors/field-faults.js'
import { type About, Flag, field, ListOf, Rule } from '../platform/http/fields.js'
import { isPermissions, PERMISSIONS, type Permissions, permissionsOf } from '../platform/permissions.js'

/** The permissions of a new member. All five are required: a missing one could be meant either way. */
export class PermissionsBody implements Permissions {
  @Flag() payments!: boolean
  @Flag() accountSettings!: boolean
  @Flag() teamManagement!: boolean
  @Flag() dataEntry!: boolean
  @Flag() viewReports!: boolean
}

/**
 * What is to be different about a member's permissions; what is not named stays as it is, because a page that was opened
 * some time ago does not know what others have changed since.
 */
export class PermissionChangesBody implements Partial<Permissions> {
  @Flag({ optional: true }) payments?: boolean
  @Flag({ optional: true }) accountSettings?: boolean
  @Flag({ optional: true }) teamManagement?: boolean
  @Flag({ optional: true }) dataEntry?: boolean
  @Flag({ optional: true }) viewReports?: boolean
}

/** Just the five booleans of a body. */
export function permissionsIn(body: Permissions): Permissions {
  return permissionsOf(PERMISSIONS.filter(name => body[name]))
}

/** For body fields: an object of exactly the five booleans. */
export const PermissionsField = (about: About = {}) =>
  field(
    { type: PermissionsBody },
    about,
    Rule('isPermissions', isPermissions, `must be the booleans ${PERMISSIONS.join(', ')}`),
  )

const MAX_SATELLITES = 50
/** Longer than any host name allows. */
const MAX_ORIGIN_LENGTH = 300
const ORIGINS = { optional: true, max: MAX_SATELLITES, unique: true, maxLength: MAX_ORIGIN_LENGTH } as const

/**
 * For body fields: origins of satellites, or null for all. {@link AllowedSatellites} checks whether they are
 * ours.
 */
export const SatelliteOrigins = () =>
  ListOf(String, {
    ...ORIGINS,
    min: 1,
    nullable: true,
    description: 'Origins; null means all satellites',
    example: ['https://shop-one.example.net'],
  })

/**
 * Where a member may log in: all of it, or what is to be different about it. What is not named stays as it is, as with
 * {@link PermissionChangesBody}.
 */
export class SatelliteChangesBody {
  @SatelliteOrigins() satellites?: string[] | null

  @ListOf(String, {
    ...ORIGINS,
    description: 'Origins to log in at as well; nothing for a member who may log in everywhere',
  })
  add?: string[]

  @ListOf(String, {
    ...ORIGINS,
    description: 'Origins to log in at no longer; refused for a member who may log in everywhere',
  })
  remove?: string[]
}

/**
 * The satellites with the change; null means everywhere. Throws `INVALID_BODY` when none or too many would be left, and
 * when one is to be removed from everywhere.
 */
export function satellitesWith(
  { satellites, add = [], remove = [] }: SatelliteChangesBody,
  current: readonly string[] | null,
): string[] | null {
  const before = satellites === undefined ? current : satellites
  if (before === null) {
    if (remove.length > 0) throw new ApiError('INVALID_BODY', { errors: [fieldError('remove', 'NO_LIMIT')] })
    return null
  }
  const after = [...new Set([...before, ...add])].filter(origin => !remove.includes(origin))
  if (after.length > 0 && after.length <= MAX_SATELLITES) return after
  const fault =
    after.length === 0
      ? fieldError('remove', 'TOO_FEW', { min: 1 })
      : fieldError('add', 'TOO_MANY', { max: MAX_SATELLITES })
  const message = `there must be 1 to ${MAX_SATELLITES} satellites left`
  throw new ApiError('INVALID_BODY', { errors: [{ ...fault, message }] })
}
