import { IsMailedToken } from '../one-time-tokens/mailed-token.js'

export class MailedLinkBody {
  @IsMailedToken()
  token!: string
}
