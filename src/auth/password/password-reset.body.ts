import { IsMailedToken } from '../../links/mailed-token.js'
import { NewPasswordBody } from './new-password.body.js'

export class PasswordResetBody extends NewPasswordBody {
  @IsMailedToken()
  token!: string
}
