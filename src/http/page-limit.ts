import { applyDecorators } from '@nestjs/common'
import { ApiPropertyOptional } from '@nestjs/swagger'
import { IsInt, IsOptional, Max, Min } from 'class-validator'
import { ParseText } from './parse-text.js'

/** One page is one answer of less than 200 KB. */
export const MAX_PAGE = 200

/** How many rows a page has at most. */
export const PageLimit = (byDefault: number) =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_PAGE, default: byDefault }),
    ParseText(text => (/^\d{1,4}$/.test(text) ? Number(text) : null)),
    Max(MAX_PAGE),
    Min(1),
    IsInt(),
    IsOptional(),
  )
