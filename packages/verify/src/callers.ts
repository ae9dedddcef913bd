import type { Caller } from './caller.js'

// Kept beside the request, not on it: each framework has its own rules for what may be added there.
const callers = new WeakMap<object, Caller>()

export function setCaller(request: object, caller: Caller): void {
  callers.set(request, caller)
}

/** Who is calling. Throws when no guard ran before this handler, since then nobody was verified. */
export function callerOf(request: object): Caller {
  const caller = callers.get(request)
  if (!caller) throw new Error('No guard of @mainstay-auth/verify stands before this handler')
  return caller
}
