import { IsIn } from 'class-validator'
import { IsEmailAddress } from '../accounts/email.js'
import { IsPassword } from '../accounts/password-text.js'
import { SOURCES, type Source } from '../permissions/permissions.js'

export class LoginBody {
  @IsEmailAddress()
  email!: string

  @IsPassword()
  password!: string

  /** The kind of site that logs in; it decides what the session may do at most. */
  @IsIn(SOURCES)
  source!: Source
}
