import { ApiProperty } from '@nestjs/swagger'
import { type Email, IsEmailAddress } from '../email.js'
import { IsName } from '../name-text.js'
import { IsNewPassword } from '../new-password.js'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../password-text.js'

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
