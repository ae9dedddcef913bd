import type { Page } from '../platform/http/paging.js'
import type { AuditRow } from './audit-hash.js'
import type { Scanned, ScanStep } from './audit-scan.js'
import type { IdRange } from './id-range.js'
import type { PageQuery } from './logins.dto.js'
import { DEFAULT_PAGE, rowCursor } from './row-cursor.js'

/**
 * The newest rows of the range that earlier pages have not shown. A scan that ends early makes a page that ends
 * early.
 */
export async function pageBefore(
  { limit = DEFAULT_PAGE, after }: PageQuery,
  range: IdRange,
  scan: (step: ScanStep) => Promise<Scanned>,
): Promise<Page<AuditRow>> {
  const to = after === undefined ? range.to : Math.min(range.to, after - 1)
  const found = await scan({ range: { ...range, to }, order: 'newest first', limit: limit + 1 })
  const rows = found.rows.slice(0, limit)
  const last = found.rows.length > limit ? rows.at(-1) : found.rest && { id: found.rest.to + 1 }
  return { rows, next: last ? rowCursor(last) : null }
}
