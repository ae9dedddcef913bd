import type { ErrorCode } from '../../errors/error-codes.js'

/** Called for every response, so it must be cheap. */
export interface ResponseObserver {
  /** `url` is the path with its query, as the client sent it. */
  responded(method: string, url: string, status: number, milliseconds: number): void
  /** A refusal that is about to be sent, including those that the server's parser made before there was a request. */
  refused(code: ErrorCode): void
}
