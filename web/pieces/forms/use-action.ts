import { MainstayError } from '@mainstay-auth/client'
import { useRef, useState } from 'react'
import { loadLater } from '../language/language.js'

/** Somebody changed their mind: nothing to report. */
export class Cancelled extends Error {}

export interface Action<Input> {
  readonly run: (input: Input) => Promise<void>
  readonly isBusy: boolean
  /** What the last run has thrown; null while one is under way and after one that went well. */
  readonly error: unknown
}

/** Something that a person starts and waits for. Started again while it runs it does nothing. */
export function useAction<Input = void>(work: (input: Input) => Promise<unknown>): Action<Input> {
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null })
  const isRunning = useRef(false)
  const run = async (input: Input) => {
    if (isRunning.current) return
    isRunning.current = true
    setState({ isBusy: true, error: null })
    try {
      await work(input)
      setState({ isBusy: false, error: null })
    } catch (error) {
      // Without its words, what is wrong with a field is said as the service says it.
      if (error instanceof MainstayError && error.errors.length > 0) await loadLater().catch(() => {})
      setState({ isBusy: false, error: error instanceof Cancelled ? null : error })
    } finally {
      isRunning.current = false
    }
  }
  return { run, ...state }
}
