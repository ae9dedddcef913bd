import { ApiProperty } from '@nestjs/swagger'
import { IsEmailAddress } from '../accounts/email.js'

export class PasswordForgotBody {
  @ApiProperty({ type: String, format: 'email', maxLength: 254, example: 'owner@example.com' })
  @IsEmailAddress()
  email!: string
}
