import type { ErrorCode } from './error-code.js'

/**
 * What is wrong with one field of a body. Show it by `code` and `values` in your language, or as `message` in
 * English.
 */
export interface FieldError {
  readonly field: string
  readonly message: string
  /** Such as `TOO_LONG`; the API reference lists them. */
  readonly code?: string
  /** The values for the sentence of the code, such as `max`. */
  readonly values?: Readonly<Record<string, string | number>>
}

/** What somebody can prove their identity with. */
export type FactorMethod = 'password' | 'totp' | 'passkey' | 'recovery'

/** The body of a refusal: RFC 9457 problem details. */
interface Problem {
  readonly code?: ErrorCode
  readonly detail?: string
  readonly requestId?: string
  readonly errors?: readonly FieldError[]
  readonly challenge?: string
  readonly methods?: readonly FactorMethod[]
  readonly reason?: 'revoked' | 'expired'
}

/** A refusal by the service. Branch on `code`; `message` is English and for people; `requestId` is for support. */
export class MainstayError extends Error {
  override readonly name = 'MainstayError'
  /** `UNKNOWN` when the answer did not come from the service itself, but for example from a proxy in front of it. */
  readonly code: ErrorCode | 'UNKNOWN'
  readonly requestId: string | undefined
  /** For `INVALID_BODY`. */
  readonly errors: readonly FieldError[]
  /** For `SECOND_FACTOR_REQUIRED`: what to pass to `completeSecondFactor`; valid for five minutes. */
  readonly challenge: string | undefined
  /**
   * For `SECOND_FACTOR_REQUIRED`, `REAUTHENTICATION_REQUIRED` and `STEP_UP_REQUIRED`: any one of these will
   * do.
   */
  readonly methods: readonly FactorMethod[]
  /** For `SESSION_NOT_FOUND` from a refresh: why the session is over, if the service knows. */
  readonly reason: 'revoked' | 'expired' | undefined

  constructor(
    readonly status: number,
    problem: Problem,
    /** From Retry-After; null where there was none, or the browser does not expose it. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(problem.detail ?? `The service answered ${status}`)
    this.code = problem.code ?? 'UNKNOWN'
    this.requestId = problem.requestId
    this.errors = problem.errors ?? []
    this.challenge = problem.challenge
    this.methods = problem.methods ?? []
    this.reason = problem.reason
  }
}

/** The password was right, and this user has a second factor. */
export interface SecondFactorRequired extends MainstayError {
  readonly code: 'SECOND_FACTOR_REQUIRED'
  readonly challenge: string
}

/** Whether `login` needs a second factor; pass it to `completeSecondFactor`. */
export function isSecondFactorRequired(error: unknown): error is SecondFactorRequired {
  return (error as MainstayError | null)?.code === 'SECOND_FACTOR_REQUIRED'
}

/** The refusal in an answer, whose body stays readable. */
export async function errorOf(answer: Response): Promise<MainstayError> {
  const problem = await answer
    .clone()
    .json()
    .catch(() => null)
  return new MainstayError(
    answer.status,
    // A proxy may answer any JSON, such as null or a text.
    Object(problem),
    Number(answer.headers.get('Retry-After')) || null,
  )
}
