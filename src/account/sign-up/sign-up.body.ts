import { ApiProperty } from '@nestjs/swagger'
import { type Email, IsEmailAddress } from '../../users/email.js'
import { IsName } from '../../users/name-text.js'
import { IsNewPassword } from '../../users/passwords/new-password.js'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../users/passwords/password-text.js'

export class SignUpBody {
  @ApiProperty({ type: String, format: 'email', maxLength: 254, example: 'rosa@example.com' })
  @IsEmailAddress()
  email!: Email

  @ApiProperty({
    type: String,
    minLength: MIN_PASSWORD_LENGTH,
    maxLength: MAX_PASSWORD_LENGTH,
    example: 'correct horse battery staple',
  })
  @IsNewPassword()
  password!: string

  /** The owner's name. */
  @IsName({ required: false })
  name?: string
}
