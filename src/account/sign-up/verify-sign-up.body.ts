import { ApiProperty } from '@nestjs/swagger'
import { IsMailedToken } from '../../links/mailed-token.js'
import { IsPassword, MAX_PASSWORD_LENGTH } from '../../users/passwords/password-text.js'

export class VerifySignUpBody {
  @IsMailedToken()
  token!: string

  @ApiProperty({
    type: String,
    minLength: 1,
    maxLength: MAX_PASSWORD_LENGTH,
    description: 'The one given at the sign-up',
  })
  @IsPassword()
  password!: string
}
