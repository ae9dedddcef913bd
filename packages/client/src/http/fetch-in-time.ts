import type { Platform } from '../platform.js'

/**
 * `fetch` that fails with a `TimeoutError` when no answer has started after `ms`. Not where the caller passes
 * a signal in `init`: then that one decides, and a long upload may take its time. A Request's own signal is
 * honoured beside the timeout: every Request has one, whether the caller set it or not. The body of a refusal, which
 * is read here, must have arrived in this time too; with `isWhole`, any body.
 */
export async function fetchInTime(
  platform: Platform,
  ms: number,
  input: string | Request,
  init: RequestInit = {},
  isWhole = false,
): Promise<Response> {
  if (init.signal) return platform.fetch(input, init)
  const patience = new AbortController()
  const theirs = (input as Partial<Request>).signal
  const giveUp = () => patience.abort(theirs?.reason)
  if (theirs?.aborted) giveUp()
  theirs?.addEventListener('abort', giveUp)
  let late: Error | undefined
  const expire = () => {
    late = Object.assign(new Error('No answer'), { name: 'TimeoutError' })
    patience.abort(late)
  }
  const callOff = platform.after(ms, expire, true)
  try {
    const answer = await platform.fetch(input, { ...init, signal: patience.signal })
    isWhole ||= !answer.ok
    return answer
  } catch (error) {
    // React Native's `fetch` forgets the reason.
    throw late ?? error
  } finally {
    // Nothing happens to a body that has arrived by then.
    isWhole || callOff()
  }
}
