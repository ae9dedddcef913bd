import { type Age, AgeCursor, PageLimit } from '../../platform/http/paging.js'

const DEFAULT_PAGE = 50

export class FailedMailsQuery {
  @PageLimit(DEFAULT_PAGE)
  limit: number = DEFAULT_PAGE

  @AgeCursor()
  after?: Age
}
