import { ApiProperty } from '@nestjs/swagger'
import { type Email, IsEmailAddress } from '../../users/email.js'

export class PasswordForgotBody {
  @ApiProperty({ type: String, format: 'email', maxLength: 254, example: 'owner@example.com' })
  @IsEmailAddress()
  email!: Email
}
