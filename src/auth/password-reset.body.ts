import { IsMailedToken } from '../one-time-tokens/mailed-token.js'
import { NewPasswordBody } from './new-password.body.js'

export class PasswordResetBody extends NewPasswordBody {
  @IsMailedToken()
  token!: string
}
