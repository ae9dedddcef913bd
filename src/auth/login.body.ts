import { ApiProperty } from '@nestjs/swagger'
import { IsIn } from 'class-validator'
import { type Email, IsEmailAddress } from '../accounts/email.js'
import { IsPassword, MAX_PASSWORD_LENGTH } from '../accounts/password-text.js'
import { SOURCES, type Source } from '../permissions/permissions.js'

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
}
