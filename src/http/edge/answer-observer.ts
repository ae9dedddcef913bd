import type { ErrorCode } from '../../errors/error-codes.js'

/** Is told of every answer; whatever it does, every request pays for. */
export interface AnswerObserver {
  /** `url` is the path with its query, as the client sent it. */
  answered(method: string, url: string, status: number, milliseconds: number): void
  /** A refusal on its way, also one that the server's parser made before there was a request. */
  refused(code: ErrorCode): void
}
