import { AuditFilterQuery } from './audit-filter.query.js'
import { PageCursor, PageLimit } from './page.query.js'

/** Which page of which rows. */
export class AuditListQuery extends AuditFilterQuery {
  @PageLimit()
  limit?: number

  @PageCursor()
  after?: number
}
