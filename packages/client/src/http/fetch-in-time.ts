import type { Platform } from '../platform.js'

/**
 * `fetch` that gives up with a `TimeoutError` when no answer has begun after so many milliseconds. Not where
 * the caller brings a signal: then that decides, and a long upload may take its time.
 */
export async function fetchInTime(
  platform: Platform,
  ms: number,
  input: string | Request,
  init: RequestInit = {},
): Promise<Response> {
  if (init.signal || typeof input !== 'string') return platform.fetch(input, init)
  const patience = new AbortController()
  const callOff = platform.after(ms, () =>
    patience.abort(Object.assign(new Error(`No answer in ${ms / 1000} s`), { name: 'TimeoutError' })),
  )
  try {
    return await platform.fetch(input, { ...init, signal: patience.signal })
  } finally {
    callOff()
  }
}
