import { useSyncExternalStore } from 'react'

/** Whether the service has refused something for want of a second factor that the account requires. */
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
