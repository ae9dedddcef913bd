import { errorOf } from '@mainstay-auth/client'

/** The response of the console's own routes to a read. Throws a MainstayError for a refusal. */
export function ask<T>(path: string): Promise<T> {
  return call('GET', path) as Promise<T>
}

/** Changes something. Throws like {@link ask}. */
export function tell<T = void>(path: string, body: object): Promise<T> {
  return call('POST', path, body) as Promise<T>
}

const listeners = new Set<() => void>()

/** Calls `listener` whenever a response says that the login has ended. Returns a function that unsubscribes. */
export function onEnded(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

async function call(method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`/api/operator/${path}`, {
    method,
    signal: AbortSignal.timeout(15_000),
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  })
  if (!answer.ok) {
    const error = await errorOf(answer)
    if (path !== 'me' && error.code === 'SESSION_NOT_FOUND') for (const listener of listeners) listener()
    throw error
  }
  const text = await answer.text()
  return text === '' ? undefined : JSON.parse(text)
}
