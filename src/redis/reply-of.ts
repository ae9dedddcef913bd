import { ErrorReply } from 'redis'

/** {@link RedisClient.replyOf} of every kind of client. */
export function replyOf(error: unknown): string | null {
  return error instanceof ErrorReply ? error.message : null
}
