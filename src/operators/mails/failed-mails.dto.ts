import { type Age, AgeCursor } from '../../platform/http/age-cursor.js'
import { PageLimit } from '../../platform/http/page.js'

const DEFAULT_PAGE = 50

export class FailedMailsQuery {
  @PageLimit(DEFAULT_PAGE)
  limit: number = DEFAULT_PAGE

  @AgeCursor()
  after?: Age
}
