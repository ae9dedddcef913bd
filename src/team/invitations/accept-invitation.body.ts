import { ApiProperty } from '@nestjs/swagger'
import { IsMailedToken } from '../../links/mailed-token.js'
import { IsName } from '../../users/name-text.js'
import { IsNewPassword } from '../../users/passwords/new-password.js'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../users/passwords/password-text.js'

export class AcceptInvitationBody {
  @IsMailedToken()
  token!: string

  @ApiProperty({ type: String, minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH })
  @IsNewPassword()
  password!: string

  @IsName({ required: false })
  name?: string
}
