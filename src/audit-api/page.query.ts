import { IsInt } from 'class-validator'
import { PageCursor } from '../http/page-cursor.js'
import { PageLimit } from '../http/page-limit.js'
import { idInCursor } from './row-cursor.js'

export const DEFAULT_PAGE = 50

export const RowLimit = () => PageLimit(DEFAULT_PAGE)

export const RowCursor = () => PageCursor(idInCursor, IsInt)

/** A page of a list. */
export class PageQuery {
  @RowLimit()
  limit?: number

  @RowCursor()
  after?: number
}
