import { IsName } from '../accounts/name-text.js'

/** What a person or an account is to be called. */
export class NameBody {
  @IsName({ required: true })
  name!: string
}
