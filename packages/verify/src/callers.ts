import type { Caller } from './caller.js'

// Beside the request, not on it: the frameworks each have their own rules for what may be put there.
const callers = new WeakMap<object, Caller>()

export function setCaller(request: object, caller: Caller): void {
  callers.set(request, caller)
}

/** Who is calling. Throws when no guard stands before this handler: then nobody was checked. */
export function callerOf(request: object): Caller {
  const caller = callers.get(request)
  if (!caller) throw new Error('No guard of @mainstay-auth/verify stands before this handler')
  return caller
}
