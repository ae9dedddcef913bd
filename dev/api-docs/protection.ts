import type { OpenAPIObject } from '@nestjs/swagger'
import { ApiError, ERROR_CODES, type ErrorCode } from '../../src/platform/errors/api-error.js'
import { type FieldError, fieldError } from '../../src/platform/errors/field-faults.js'
import { problemOf } from '../../src/platform/errors/problem.filter.js'
import { documentationOf, type GuardDocumentation, ownRefusalsOf } from '../../src/platform/http/endpoint.js'
import type { Handler } from './handlers.js'

/** One endpoint in the API reference. */
export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>

/** Error codes of any request. */
const EVERYWHERE: readonly ErrorCode[] = ['INVALID_REQUEST', 'ORIGIN_NOT_ALLOWED', 'INTERNAL_ERROR']

/**
 * Adds to an operation what its guards require, and every error code that they or its handler return, each
 * with an example.
 */
export function documentProtection(operation: Operation, handler: Handler): void {
  const guards = handler.guards.map(guard => documentationOf(guard))
  // What refresh says of itself stays: one of two credentials.
  if (guards.length > 0 || !operation.security) operation.security = securityOf(guards)
  const guardRefusals = guards.flatMap(({ refusals }) => refusals)
  const codes = new Set([...guardRefusals, ...(ownRefusalsOf(handler.target) ?? []), ...EVERYWHERE])
  Object.assign(operation.responses, responsesOf(inOrderOfTheTable(codes)))
}

/** The sets of credentials of which a request needs one whole; none for a public endpoint. */
function securityOf(guards: readonly GuardDocumentation[]): Record<string, string[]>[] {
  const setOf = (some: readonly GuardDocumentation[]) =>
    Object.fromEntries(some.flatMap(({ security }) => (security ? [[security, []]] : [])))
  const sets = [setOf(guards)]
  if (guards.some(({ isOfMainSiteOnly }) => isOfMainSiteOnly))
    sets.push(setOf(guards.filter(({ isOfMainSiteOnly }) => !isOfMainSiteOnly)))
  return sets.filter(set => Object.keys(set).length > 0)
}

function inOrderOfTheTable(codes: ReadonlySet<ErrorCode>): ErrorCode[] {
  return (Object.keys(ERROR_CODES) as ErrorCode[]).filter(code => codes.has(code))
}

function responsesOf(codes: readonly ErrorCode[]): Operation['responses'] {
  const statuses = [...new Set(codes.map(code => ERROR_CODES[code].status))]
  return Object.fromEntries(
    statuses.map(status => [status, responseOf(codes.filter(code => ERROR_CODES[code].status === status))]),
  )
}

function responseOf(codes: readonly ErrorCode[]) {
  return {
    description: codes.map(code => `\`${code}\`: ${ERROR_CODES[code].title}`).join('\n\n'),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map(code => [code, { value: exampleOf(code) }])),
      },
    },
  }
}

const EXAMPLE_ERRORS: Partial<Record<ErrorCode, readonly FieldError[]>> = {
  INVALID_BODY: [fieldError('email', 'NOT_AN_EMAIL')],
  INVALID_QUERY: [
    { ...fieldError('limit', 'TOO_LARGE', { max: 200 }), message: 'limit must not be greater than 200' },
  ],
  WEAK_PASSWORD: [fieldError('password', 'PASSWORD_COMMON')],
}

function exampleOf(code: ErrorCode) {
  const errors = EXAMPLE_ERRORS[code]
  return problemOf(new ApiError(code, { ...(errors && { errors }) }), '7f1a2c9e-6b0d-4c55-9a0e-3f5b7c1d2e4f')
}
