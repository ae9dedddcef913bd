import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import { ValidateIf } from 'class-validator'
import type { Permissions } from '../../permissions/permissions.js'
import { type Email, IsEmailAddress } from '../../users/email.js'
import { IsPermissions, PermissionsBody } from '../members/permissions.body.js'
import { IsSatellites } from '../members/satellites.body.js'

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
