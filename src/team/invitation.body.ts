import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import { ValidateIf } from 'class-validator'
import { type Email, IsEmailAddress } from '../accounts/email.js'
import type { Permissions } from '../permissions/permissions.js'
import { IsPermissions, PermissionsBody } from './permissions.body.js'
import { IsSatellites } from './satellites.body.js'

export class InvitationBody {
  @ApiProperty({ type: String, format: 'email', maxLength: 254, example: 'colleague@example.com' })
  @IsEmailAddress()
  email!: Email

  /** dataEntry and viewReports when absent. */
  @ApiPropertyOptional({ type: PermissionsBody })
  @ValidateIf((_, value) => value !== undefined)
  @IsPermissions()
  permissions?: Permissions

  @IsSatellites({ required: false })
  satellites?: string[] | null
}
