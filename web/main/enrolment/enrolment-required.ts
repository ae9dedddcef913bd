import { useSyncExternalStore } from 'react'

/**
 * Whether the service has refused something because the account requires a second factor that the user does
 * not have.
 */
let isRequired = false
const listeners = new Set<() => void>()

export function noteEnrolmentRequired(): void {
  change(true)
}

export function forgetEnrolmentRequired(): void {
  change(false)
}

export function useEnrolmentRequired(): boolean {
  return useSyncExternalStore(listen, () => isRequired)
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function change(next: boolean): void {
  isRequired = next
  for (const listener of listeners) listener()
}
