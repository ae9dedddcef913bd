import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, ERROR_CODES, type ErrorCode } from './api-error.js'
import type { FieldError } from './field-faults.js'

declare module 'fastify' {
  interface FastifyInstance {
    countRefusal(code: ErrorCode): void
  }
}

const CODES_OF_FRAMEWORK_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'INVALID_REQUEST',
  404: 'NOT_FOUND',
  405: 'NOT_FOUND',
  408: 'REQUEST_TIMEOUT',
  413: 'BODY_TOO_LARGE',
  414: 'URL_TOO_LONG',
  415: 'UNSUPPORTED_MEDIA_TYPE',
}

/** Adds to a refusal what its client needs and what the code that refused did not look up. Never rejects. */
interface RefusalDetails {
  amend(refusal: ApiError, request: FastifyRequest): Promise<ApiError>
}

/**
 * The only place where an error becomes an answer. Unexpected errors are logged and answered 500 without
 * details.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly details: RefusalDetails) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp()
    const request = http.getRequest<FastifyRequest>()
    const amended = error instanceof ApiError ? await this.details.amend(error, request) : error
    answerProblem(amended, request, http.getResponse<FastifyReply>())
  }
}

/** Answers `error` as problem+json. */
export function answerProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = asApiError(error)
  logFailure(refusal, error, request)
  request.server.countRefusal(refusal.code)
  void reply
    .status(refusal.status)
    .headers({ ...refusal.options.headers, 'Content-Type': PROBLEM_CONTENT_TYPE })
    .send(JSON.stringify(problemOf(refusal, request.id)))
}

/** A bug is logged with everything known about it, an outage in one line, because there are many. */
function logFailure({ code, status, options }: ApiError, error: unknown, req: FastifyRequest): void {
  if (status === 503)
    req.log.warn({ req, code, cause: (options.cause as Error | undefined)?.message }, 'request refused')
  else if (status >= 500) req.log.error({ req, code, err: error }, 'request failed')
}

/** `error` as the refusal that it is answered with: a bug is a 500. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const code = CODES_OF_FRAMEWORK_STATUS[frameworkStatus(error)] ?? 'INTERNAL_ERROR'
  return new ApiError(code, { cause: error })
}

/** The status of an error of Nest's or Fastify's own; 500 for everything else. */
function frameworkStatus(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus()
  const { statusCode, code } = error as { statusCode?: number; code?: string }
  // A client that hangs up in the middle of its body is not our fault.
  const isTheirs = code?.startsWith('FST_') || code === 'ECONNRESET'
  return isTheirs && statusCode ? statusCode : 500
}

/**
 * The body of every refusal: RFC 9457 problem details with our stable `code` and the id to quote to support.
 */
interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  readonly requestId: string
  readonly errors?: readonly FieldError[]
}

export const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8'

export function problemOf(error: ApiError, requestId: string): Problem {
  const { code, status, message, options } = error
  const problem = {
    type: problemType(code),
    title: ERROR_CODES[code].title,
    status,
    detail: message,
    code,
    requestId,
  }
  return { ...options.members, ...problem, ...(options.errors && { errors: options.errors }) }
}

/** A URN: it identifies the problem, and nothing has to be served at it. */
function problemType(code: ErrorCode): string {
  return `urn:mainstay:problem:${code.toLowerCase().replaceAll('_', '-')}`
}
