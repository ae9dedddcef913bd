import { AuditFilterQuery } from './audit-filter.query.js'
import { RowCursor, RowLimit } from './page.query.js'

/** A page of filtered rows. */
export class AuditListQuery extends AuditFilterQuery {
  @RowLimit()
  limit?: number

  @RowCursor()
  after?: number
}
