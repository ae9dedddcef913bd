import type { Answer } from './answer.js'

/** A refusal in Stripe's own shape. Source: https://docs.stripe.com/api/errors. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly type: 'invalid_request_error' | 'idempotency_error' | 'api_error',
    message: string,
    readonly code?: string,
    readonly param?: string,
  ) {
    super(message)
  }

  /** 400: a parameter is missing, or Stripe would refuse its value. */
  static badParameter(code: string, param: string, message: string): ApiError {
    return new ApiError(400, 'invalid_request_error', message, code, param)
  }

  /** No such object: 404 when the path named it, 400 when a parameter did. */
  static missing(status: 400 | 404, kind: string, id: string, param: string): ApiError {
    return new ApiError(
      status,
      'invalid_request_error',
      `No such ${kind}: '${id}'`,
      'resource_missing',
      param,
    )
  }

  /** Whether the request was refused before any work began. */
  get isBadParameter(): boolean {
    return this.param !== undefined && this.code !== 'resource_missing'
  }

  /** The status and the JSON body; leaves out fields that do not apply, as Stripe does. */
  answer(): Answer {
    const { status, type, code, message, param } = this
    const doc_url = code && `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`
    return { status, body: { error: { type, code, doc_url, message, param } } }
  }
}
