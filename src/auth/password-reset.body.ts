import { IsMailedToken } from '../one-time-tokens/mailed-token.js'
import { PasswordChangeBody } from './password-change.body.js'

export class PasswordResetBody extends PasswordChangeBody {
  @IsMailedToken()
  token!: string
}
