import type { Platform } from '../platform.js'

/**
 * `fetch` that fails with a `TimeoutError` when no answer has started after `ms`. Not where the caller passes
 * a signal in `init`: then that one decides, and a long upload may take its time. A Request's own signal is
 * honoured beside the timeout: every Request has one, whether the caller set it or not. With `isWhole`, the body
 * must have arrived in this time too.
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
  const expire = () =>
    patience.abort(Object.assign(new Error(`No answer in ${ms / 1000} s`), { name: 'TimeoutError' }))
  const callOff = platform.after(ms, expire, isWhole)
  try {
    return await platform.fetch(input, { ...init, signal: patience.signal })
  } finally {
    // Nothing happens to a body that has arrived by then.
    isWhole || callOff()
  }
}
