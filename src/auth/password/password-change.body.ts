import { ApiProperty } from '@nestjs/swagger'
import { IsPassword, MAX_PASSWORD_LENGTH } from '../../users/passwords/password-text.js'
import { NewPasswordBody } from './new-password.body.js'

export class PasswordChangeBody extends NewPasswordBody {
  @ApiProperty({
    type: String,
    minLength: 1,
    maxLength: MAX_PASSWORD_LENGTH,
    description: 'The password that the user has now',
    example: 'correct horse battery staple',
  })
  @IsPassword()
  currentPassword!: string
}
