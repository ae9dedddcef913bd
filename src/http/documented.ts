import { applyDecorators, type Type } from '@nestjs/common'
import { ApiOperation, ApiResponse } from '@nestjs/swagger'
import { ApiError, type FieldError } from '../errors/api-error.js'
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js'
import { problemOf } from '../errors/problem.js'

/** What the API reference says about an endpoint besides its types. */
export interface Documentation {
  /** One sentence; what it is for. */
  readonly summary: string
  readonly description?: string
  readonly status: number
  readonly answer: string
  /** The class of the answer's body; none when it is empty. */
  readonly type?: Type
  /** Every code that this endpoint answers itself. */
  readonly refusals: readonly ErrorCode[]
}

/** Codes of any request. */
const EVERYWHERE: readonly ErrorCode[] = ['INVALID_REQUEST', 'ORIGIN_NOT_ALLOWED', 'INTERNAL_ERROR']
/** Codes of any request with a body. */
export const BODY_REFUSALS: readonly ErrorCode[] = [
  'INVALID_BODY',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]
/** Codes of any route behind JwtGuard. */
export const TOKEN_REFUSALS: readonly ErrorCode[] = ['ACCESS_TOKEN_REQUIRED', 'INVALID_ACCESS_TOKEN']

/** Documents an endpoint with its answer, its error codes and an example of each. */
export function Documented({
  summary,
  description,
  status,
  answer,
  type,
  refusals,
}: Documentation): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary, ...(description && { description }) }),
    ApiResponse({ status, description: answer, ...(type && { type }) }),
    ...refusalsByStatus([...new Set([...refusals, ...writeRefusals(refusals), ...EVERYWHERE])]),
  )
}

/** A request of a logged-in user with a body changes something, and changes are counted. */
function writeRefusals(refusals: readonly ErrorCode[]): readonly ErrorCode[] {
  const isWrite = refusals.includes('ACCESS_TOKEN_REQUIRED') && refusals.includes('INVALID_BODY')
  return isWrite ? ['TOO_MANY_ATTEMPTS'] : []
}

function refusalsByStatus(codes: readonly ErrorCode[]): MethodDecorator[] {
  const statuses = [...new Set(codes.map(code => ERROR_CODES[code].status))].sort()
  return statuses.map(status => {
    const ofStatus = codes.filter(code => ERROR_CODES[code].status === status)
    const examples = Object.fromEntries(ofStatus.map(code => [code, { value: exampleOf(code) }]))
    return ApiResponse({
      status,
      description: ofStatus.map(code => `\`${code}\`: ${ERROR_CODES[code].title}`).join('\n\n'),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, examples } },
    })
  })
}

const EXAMPLE_ERRORS: Partial<Record<ErrorCode, readonly FieldError[]>> = {
  INVALID_BODY: [{ field: 'email', message: 'This is not an e-mail address that we can use' }],
  INVALID_QUERY: [{ field: 'limit', message: 'limit must not be greater than 200' }],
}

function exampleOf(code: ErrorCode) {
  const errors = EXAMPLE_ERRORS[code]
  return problemOf(new ApiError(code, { ...(errors && { errors }) }), '7f1a2c9e-6b0d-4c55-9a0e-3f5b7c1d2e4f')
}
