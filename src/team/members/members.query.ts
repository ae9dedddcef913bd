import { IsObject } from 'class-validator'
import { PageCursor } from '../../http/page-cursor.js'
import { PageLimit } from '../../http/page-limit.js'
import type { UserCursor } from '../../users/users.js'
import { ageInCursor } from './members-cursor.js'

const DEFAULT_PAGE = 100

/** A page of the team. */
export class MembersQuery {
  @PageLimit(DEFAULT_PAGE)
  limit: number = DEFAULT_PAGE

  @PageCursor(ageInCursor, options => IsObject(options))
  after?: UserCursor
}
