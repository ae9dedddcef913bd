import { IsMailedToken } from './mailed-token.js'

export class MailedLinkBody {
  @IsMailedToken()
  token!: string
}
