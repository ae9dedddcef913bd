import { applyDecorators } from '@nestjs/common'
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsString,
  MaxLength,
  registerDecorator,
  ValidateIf,
} from 'class-validator'
import { ApiError } from '../platform/errors/api-error.js'
import { fieldError } from '../platform/errors/field-faults.js'
import { isPermissions, PERMISSIONS, type Permissions, permissionsOf } from '../platform/permissions.js'

/** The permissions of a new member. All five are required: a missing one could be meant either way. */
export class PermissionsBody implements Permissions {
  @ApiProperty({ type: Boolean })
  @IsBoolean()
  payments!: boolean

  @ApiProperty({ type: Boolean })
  @IsBoolean()
  accountSettings!: boolean

  @ApiProperty({ type: Boolean })
  @IsBoolean()
  teamManagement!: boolean

  @ApiProperty({ type: Boolean })
  @IsBoolean()
  dataEntry!: boolean

  @ApiProperty({ type: Boolean })
  @IsBoolean()
  viewReports!: boolean
}

/**
 * What is to be different about a member's permissions; what is not named stays as it is, because a page that was opened
 * some time ago does not know what others have changed since.
 */
export class PermissionChangesBody implements Partial<Permissions> {
  @IsPermissionChange()
  payments?: boolean

  @IsPermissionChange()
  accountSettings?: boolean

  @IsPermissionChange()
  teamManagement?: boolean

  @IsPermissionChange()
  dataEntry?: boolean

  @IsPermissionChange()
  viewReports?: boolean
}

function IsPermissionChange(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: Boolean }),
    ValidateIf((_, value) => value !== undefined),
    IsBoolean(),
  )
}

/** Just the five booleans of a body. */
export function permissionsIn(body: Permissions): Permissions {
  return permissionsOf(PERMISSIONS.filter(name => body[name]))
}

/** For body fields: an object of exactly the five booleans. */
export function IsPermissions(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isPermissions',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: isPermissions,
        defaultMessage: () => `${String(propertyName)} must be the booleans ${PERMISSIONS.join(', ')}`,
      },
    })
}

const MAX_SATELLITES = 50
/** Longer than any host name allows. */
const MAX_ORIGIN_LENGTH = 300

/**
 * For body fields: origins of satellites, or null for all. {@link AllowedSatellites} checks whether they are
 * ours.
 */
export function IsSatellites({ required }: { required: boolean }): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      type: [String],
      required,
      nullable: true,
      minItems: 1,
      maxItems: MAX_SATELLITES,
      uniqueItems: true,
      description: 'Origins; null means all satellites',
      example: ['https://shop-one.example.net'],
    }),
    ValidateIf((_, value) => value !== null && (required || value !== undefined)),
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(MAX_SATELLITES),
    ArrayUnique(),
    IsString({ each: true }),
    MaxLength(MAX_ORIGIN_LENGTH, { each: true }),
  )
}

/**
 * Where a member may log in: all of it, or what is to be different about it. What is not named stays as it is, as with
 * {@link PermissionChangesBody}.
 */
export class SatelliteChangesBody {
  @IsSatellites({ required: false })
  satellites?: string[] | null

  @IsSatelliteChange('Origins to log in at as well; nothing for a member who may log in everywhere')
  add?: string[]

  @IsSatelliteChange('Origins to log in at no longer; refused for a member who may log in everywhere')
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

function IsSatelliteChange(description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: [String], maxItems: MAX_SATELLITES, uniqueItems: true, description }),
    ValidateIf((_, value) => value !== undefined),
    IsArray(),
    ArrayMaxSize(MAX_SATELLITES),
    ArrayUnique(),
    IsString({ each: true }),
    MaxLength(MAX_ORIGIN_LENGTH, { each: true }),
  )
}
