import type { FactorMethod } from '@mainstay-auth/client'
import { useSyncExternalStore } from 'react'
import { Cancelled } from '../../pieces/forms/use-action.js'

/** A call that is waiting for the person to prove their identity again. */
export interface Question {
  /** The methods that the service accepts. */
  readonly methods: readonly FactorMethod[]
  readonly done: () => void
  readonly cancel: () => void
}

let question: Question | null = null
const listeners = new Set<() => void>()

/**
 * Resolves when the person has proved their identity again; throws Cancelled when they decline, or have left the
 * page that needs it.
 */
export async function reauthenticate(
  methods: readonly FactorMethod[],
  isStillHere: () => boolean,
): Promise<void> {
  if (!isStillHere()) throw new Cancelled()
  return new Promise<void>((resolve, reject) => {
    ask({ methods, done: resolve, cancel: () => reject(new Cancelled()) })
  }).finally(() => ask(null))
}

/** Declines the question, if there is one. */
export function cancelQuestion(): void {
  question?.cancel()
}

/** The question to show; null when there is none. */
export function useQuestion(): Question | null {
  return useSyncExternalStore(listen, () => question)
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function ask(next: Question | null): void {
  question = next
  for (const listener of listeners) listener()
}
