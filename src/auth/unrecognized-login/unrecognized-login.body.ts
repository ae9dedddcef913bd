import { IsMailedToken } from '../../links/mailed-token.js'

export class UnrecognizedLoginBody {
  @IsMailedToken()
  token!: string
}
