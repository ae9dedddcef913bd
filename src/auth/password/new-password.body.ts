import { ApiProperty } from '@nestjs/swagger'
import { IsNewPassword } from '../../users/passwords/new-password.js'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../users/passwords/password-text.js'

export class NewPasswordBody {
  @ApiProperty({
    type: String,
    minLength: MIN_PASSWORD_LENGTH,
    maxLength: MAX_PASSWORD_LENGTH,
    description: 'The new password',
    example: 'four words nobody guesses',
  })
  @IsNewPassword()
  password!: string
}
