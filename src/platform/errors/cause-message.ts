import { ApiError } from './api-error.js'

/** Deeper than any chain of ours, and an end for one that leads back to itself. */
const MAX_CAUSES = 5

/**
 * Why something failed, in one line for the log and for operators: the messages of an error and its causes,
 * outermost first. Of an `ApiError` with a cause only the cause counts, because its own message is for clients.
 */
export function causeMessage(error: unknown): string {
  const messages: string[] = []
  for (let at = error, depth = 0; at != null && depth < MAX_CAUSES; at = (at as Error).cause, depth++) {
    if (at instanceof ApiError && at.cause instanceof Error) continue
    const message = messageOf(at)
    if (!messages.some(outer => outer.includes(message))) messages.push(message)
  }
  return messages.join(': ').replace(/\s*\n\s*/g, '; ')
}

/** Several addresses that all refuse give an error without a message of its own. */
function messageOf(error: unknown): string {
  const { message, errors, code } = error as Partial<AggregateError & NodeJS.ErrnoException>
  return message || errors?.map(causeMessage).join('; ') || code || String(error)
}
