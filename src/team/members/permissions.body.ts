import { ApiProperty } from '@nestjs/swagger'
import { IsBoolean, registerDecorator } from 'class-validator'
import { isPermissions, PERMISSIONS, type Permissions, permissionsOf } from '../../permissions/permissions.js'

/** All five are required: a missing one could mean "keep" or "take away". */
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

/** The five booleans of a body, and nothing else. */
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
