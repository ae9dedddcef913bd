import { applyDecorators } from '@nestjs/common'
import { ApiPropertyOptional } from '@nestjs/swagger'
import { IsInt, IsOptional, Max, Min } from 'class-validator'
import { asCursor } from './cursor.js'
import { FromText } from './from-text.js'

export const DEFAULT_PAGE = 50
/** One page is one answer of less than 200 KB. */
export const MAX_PAGE = 200

/** How many a page has at most. */
export const PageLimit = () =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_PAGE, default: DEFAULT_PAGE }),
    FromText(text => (/^\d{1,4}$/.test(text) ? Number(text) : null)),
    Max(MAX_PAGE),
    Min(1),
    IsInt(),
    IsOptional(),
  )

/** Where the page before ended. */
export const PageCursor = () =>
  applyDecorators(
    ApiPropertyOptional({ type: String, description: '`next` of the page before' }),
    FromText(asCursor),
    IsInt({ message: 'after must be the next of a page before' }),
    IsOptional(),
  )

/** Which page of a list. */
export class PageQuery {
  @PageLimit()
  limit?: number

  @PageCursor()
  after?: number
}
