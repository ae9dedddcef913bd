import { IsObject } from 'class-validator'
import type { UserAge } from '../accounts/users.js'
import { PageCursor } from '../http/page-cursor.js'
import { PageLimit } from '../http/page-limit.js'
import { ageInCursor } from './team-cursor.js'

const DEFAULT_PAGE = 100

/** A page of the team. */
export class TeamQuery {
  @PageLimit(DEFAULT_PAGE)
  limit: number = DEFAULT_PAGE

  @PageCursor(ageInCursor, options => IsObject(options))
  after?: UserAge
}
