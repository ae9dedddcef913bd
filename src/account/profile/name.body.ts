import { IsName } from '../../users/name-text.js'

/** The new name of a person or an account. */
export class NameBody {
  @IsName({ required: true })
  name!: string
}
