import { AuditFilterQuery } from './audit-filter.query.js'
import { RowCursor, RowLimit } from './page.query.js'

/** Which page of which rows. */
export class AuditListQuery extends AuditFilterQuery {
  @RowLimit()
  limit?: number

  @RowCursor()
  after?: number
}
