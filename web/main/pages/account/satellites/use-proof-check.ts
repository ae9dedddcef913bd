import { MainstayError } from '@mainstay-auth/client'
import { useEffect, useRef, useState } from 'react'
import { type Action, useAction } from '../../../../pieces/forms/use-action.js'
import type { MessageKey } from '../../../../pieces/language/t.js'

/**
 * Pauses before automatic checks. There are three per visit, because an account has ten an hour for all its
 * satellites.
 */
const PAUSES = [
  { ms: 30_000, text: 'proofCheck.halfMinute' },
  { ms: 120_000, text: 'proofCheck.twoMinutes' },
  { ms: 300_000, text: 'proofCheck.fiveMinutes' },
] as const

/**
 * Checks the proof. While somebody is waiting for it and it is missing, repeats the check a few times
 * automatically.
 */
export function useProofCheck(
  look: () => Promise<unknown>,
  isWaiting: boolean,
): Action<void> & { readonly nextLook: MessageKey | null } {
  const action = useAction(look)
  const [repeats, setRepeats] = useState(0)
  const run = useRef(action.run)
  run.current = action.run
  const pause = isWaiting && isProofMissing(action.error) ? PAUSES[repeats] : undefined
  useEffect(() => {
    if (!pause) return
    const timer = setTimeout(() => {
      setRepeats(count => count + 1)
      void run.current()
    }, pause.ms)
    return () => clearTimeout(timer)
  }, [pause])
  return { ...action, nextLook: pause?.text ?? null }
}

/** The check itself succeeded, but there was no proof. */
export function isProofMissing(error: unknown): error is MainstayError {
  return error instanceof MainstayError && error.code === 'PROOF_NOT_FOUND'
}
