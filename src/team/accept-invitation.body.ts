import { ApiProperty } from '@nestjs/swagger'
import { IsName } from '../accounts/name-text.js'
import { IsNewPassword } from '../accounts/new-password.js'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../accounts/password-text.js'
import { IsMailedToken } from '../one-time-tokens/mailed-token.js'

export class AcceptInvitationBody {
  @IsMailedToken()
  token!: string

  @ApiProperty({ type: String, minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH })
  @IsNewPassword()
  password!: string

  @IsName({ required: false })
  name?: string
}
