import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import { IsIn, IsOptional, Matches } from 'class-validator'
import { DEVICE_ID_FORM, type DeviceId } from '../../anomalies/device-id.js'
import { SOURCES, type Source } from '../../permissions/permissions.js'
import { type Email, IsEmailAddress } from '../../users/email.js'
import { IsPassword, MAX_PASSWORD_LENGTH } from '../../users/passwords/password-text.js'

export class LoginBody {
  @ApiProperty({ type: String, format: 'email', maxLength: 254, example: 'owner@example.com' })
  @IsEmailAddress()
  email!: Email

  @ApiProperty({
    type: String,
    minLength: 1,
    maxLength: MAX_PASSWORD_LENGTH,
    example: 'correct horse battery staple',
  })
  @IsPassword()
  password!: string

  @ApiProperty({
    enum: SOURCES,
    description: 'The kind of site that logs in: it bounds what the session may do',
  })
  @IsIn(SOURCES)
  source!: Source

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    minLength: 43,
    maxLength: 43,
    example: 'k2Yb0Ue8vWq3mJx7c1FZr5TnLh9PsDaG4oEiRw6XtCM',
    description:
      'Satellites and mobile apps: the device id of an earlier login, null when there is none yet. The main site has a cookie instead',
  })
  @IsOptional()
  @Matches(DEVICE_ID_FORM, { message: 'deviceId must be one that an earlier login answered' })
  deviceId?: DeviceId | null
}
