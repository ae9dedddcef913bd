import { IsMailedToken } from '../../links/mailed-token.js'

export class NotMeBody {
  @IsMailedToken()
  token!: string
}
