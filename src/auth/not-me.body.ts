import { IsMailedToken } from '../one-time-tokens/mailed-token.js'

export class NotMeBody {
  @IsMailedToken()
  token!: string
}
