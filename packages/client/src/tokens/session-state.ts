import type { ChangeKind, LogoutCause, State, WaitReason } from '../http/caller.js'

export type Listener = (state: State, kind: ChangeKind) => void

/** Who is logged in, as far as is known, and who wants to hear of changes. */
export class SessionState {
  current: State = { status: 'unknown', caller: null }
  private readonly listeners = new Set<Listener>()

  /**
   * Calls the listener soon, if the state is known by then, and after every change. Returns a function that
   * unsubscribes.
   */
  listen(listener: Listener): () => void {
    // A wrapper of its own, because the same function may subscribe twice.
    const own: Listener = (state, kind) => listener(state, kind)
    this.listeners.add(own)
    if (this.current.status !== 'unknown')
      queueMicrotask(() => this.listeners.has(own) && callSafely(own, this.current, 'first'))
    return () => this.listeners.delete(own)
  }

  /** A refresh that brought nothing new is no change: pages would re-render for nothing. */
  change(state: State): void {
    if (JSON.stringify(state) === JSON.stringify(this.current)) return
    const kind = kindOf(this.current, state)
    this.current = state
    for (const listener of this.listeners) callSafely(listener, state, kind)
  }

  /** Nobody is logged in any more; the first cause stays. */
  end(cause: LogoutCause | null): void {
    if (this.current.status !== 'loggedOut')
      this.change({ status: 'loggedOut', caller: null, ...(cause && { cause }) })
  }

  /**
   * Says why a refresh that is being retried has not succeeded yet, or a logout; null once it has. A
   * logged-out user waits only for the logout; nobody else waits for one.
   */
  explain(reason: WaitReason | null, isOfLogout = false): void {
    if ((this.current.status === 'loggedOut') !== isOfLogout) return
    const { reason: _, ...state } = this.current
    this.change({ ...state, ...(reason && { reason }) } as State)
  }

  close(): void {
    this.listeners.clear()
  }
}

function kindOf(before: State, now: State): ChangeKind {
  if (before.status === 'unknown' && now.status !== 'unknown') return 'first'
  if (before.caller?.sid !== now.caller?.sid) return now.caller ? 'login' : 'logout'
  return before.reason === now.reason ? 'permissions' : 'waiting'
}

/** An error in a listener is for its page to see; it must not disturb the session. */
function callSafely(listener: Listener, state: State, kind: ChangeKind): void {
  try {
    listener(state, kind)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
