/** Every `code` that the service answers; a test compares it with the service's own table. */
export type ErrorCode =
  | 'INVALID_BODY'
  | 'INVALID_QUERY'
  | 'INVALID_REQUEST'
  | 'INVALID_RETURN_URL'
  | 'UNKNOWN_PRICE'
  | 'INVALID_SIGNATURE'
  | 'WRONG_MODE'
  | 'WEAK_PASSWORD'
  | 'INVALID_LINK'
  | 'UNKNOWN_SATELLITE'
  | 'INVALID_CREDENTIALS'
  | 'ACCESS_TOKEN_REQUIRED'
  | 'INVALID_ACCESS_TOKEN'
  | 'SESSION_NOT_FOUND'
  | 'HANDOFF_CODE_INVALID'
  | 'SECOND_FACTOR_REQUIRED'
  | 'SECOND_FACTOR_INVALID'
  | 'CHALLENGE_EXPIRED'
  | 'PASSKEY_INVALID'
  | 'REAUTHENTICATION_REQUIRED'
  | 'STEP_UP_REQUIRED'
  | 'ORIGIN_NOT_ALLOWED'
  | 'MAIN_ORIGIN_REQUIRED'
  | 'CROSS_SITE_REFUSED'
  | 'SESSION_COOKIE_REQUIRED'
  | 'MAIN_SOURCE_REQUIRED'
  | 'SESSION_MISMATCH'
  | 'PAYMENTS_PERMISSION_REQUIRED'
  | 'PERMISSION_REQUIRED'
  | 'SECOND_FACTOR_ENROLMENT_REQUIRED'
  | 'OWN_RIGHTS'
  | 'DISABLED_BY_OPERATOR'
  | 'OWNER_REQUIRED'
  | 'OWNER_LOGIN_BARRED'
  | 'HANDOFF_REQUIRED'
  | 'HANDOFF_DISABLED'
  | 'NOT_INVITED'
  | 'SATELLITE_SUSPENDED'
  | 'SIGN_UP_CLOSED'
  | 'PAYMENTS_OFF'
  | 'NOT_FOUND'
  | 'SATELLITE_NOT_FOUND'
  | 'REQUEST_TIMEOUT'
  | 'PAYMENT_PENDING'
  | 'ALREADY_SUBSCRIBED'
  | 'CURRENCY_FIXED'
  | 'PLAN_UNAVAILABLE'
  | 'NEVER_SUBSCRIBED'
  | 'ACCOUNT_CLOSING'
  | 'EMAIL_UNDO_OPEN'
  | 'LAST_OWNER'
  | 'TRANSFER_PENDING'
  | 'ORIGIN_TAKEN'
  | 'TOO_MANY_SATELLITES'
  | 'SATELLITE_PENDING'
  | 'PROOF_NOT_FOUND'
  | 'PROOF_EXPIRED'
  | 'SUBSCRIPTION_LIVE'
  | 'PLAN_LIMIT_REACHED'
  | 'TOO_MANY_INVITATIONS'
  | 'TOTP_EXISTS'
  | 'TOTP_NOT_STARTED'
  | 'SECOND_FACTOR_MISSING'
  | 'SECOND_FACTOR_NEEDED'
  | 'TOO_MANY_PASSKEYS'
  | 'PASSKEY_EXISTS'
  | 'LAST_WAY_IN'
  | 'EMAIL_TAKEN'
  | 'MAIL_BEING_SENT'
  | 'BODY_TOO_LARGE'
  | 'URL_TOO_LONG'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'TOO_MANY_ATTEMPTS'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL_ERROR'
  | 'PAYMENT_PROVIDER_FAILED'
  | 'MAIL_UNAVAILABLE'
  | 'PAYMENT_PROVIDER_UNAVAILABLE'
  | 'PAYMENT_PROVIDER_REFUSED'
  | 'TOO_BUSY'
  | 'SESSION_STORE_UNAVAILABLE'
  | 'DATABASE_UNAVAILABLE'
  | 'NOT_READY'

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

/** What a user can prove their identity with. */
export type FactorMethod = 'password' | 'totp' | 'passkey' | 'recovery'

/** Why the service says that a session is over. */
type OverReason = 'revoked' | 'expired' | 'idle'

/** The body of a refusal: RFC 9457 problem details. */
interface Problem {
  readonly code?: ErrorCode
  readonly detail?: string
  readonly requestId?: string
  readonly errors?: readonly FieldError[]
  readonly challenge?: string
  readonly methods?: readonly FactorMethod[]
  readonly reason?: OverReason
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
  readonly reason: OverReason | undefined

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
