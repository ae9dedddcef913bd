import { ErrorReply } from 'redis'

/** {@link RedisClient.replyOf} for every kind of client. */
export function replyOf(error: unknown): string | null {
  return error instanceof ErrorReply ? error.message : null
}
