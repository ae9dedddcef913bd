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
/** The login is the same in all tabs. */
const tabs = new BroadcastChannel('login')
tabs.addEventListener('message', announceEnd)
// A page that the browser had kept as it was.
addEventListener('pageshow', ({ persisted }) => persisted && announceEnd())

/** Calls `listener` whenever the login has, or may have, ended. Returns a function that unsubscribes. */
export function onEnded(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function announceEnd(): void {
  for (const listener of listeners) listener()
}

/** To call after a login or logout. */
export function tellOtherTabs(): void {
  tabs.postMessage(null)
}

async function call(method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`/api/operator/${path}`, {
    method,
    signal: AbortSignal.timeout(15_000),
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  })
  if (!answer.ok) {
    const error = await errorOf(answer)
    if (path !== 'me' && error.code === 'SESSION_NOT_FOUND') announceEnd()
    throw error
  }
  const text = await answer.text()
  return text === '' ? undefined : JSON.parse(text)
}
