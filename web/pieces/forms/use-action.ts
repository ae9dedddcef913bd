import { MainstayError } from '@mainstay-auth/client'
import { useRef, useState } from 'react'
import { loadLater } from '../language/language.js'

/** Thrown when somebody changed their mind: nothing to report. */
export class Cancelled extends Error {}

export interface Action<Input> {
  readonly run: (input: Input) => Promise<void>
  readonly isBusy: boolean
  /** What the last run threw; null while one is running, and after a successful one. */
  readonly error: unknown
}

/** Something that a person starts and waits for. Starting it again while it runs does nothing. */
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
      // If these fail to load, field errors are shown in the service's own words.
      if (error instanceof MainstayError && error.errors.length > 0) await loadLater().catch(() => {})
      setState({ isBusy: false, error: error instanceof Cancelled ? null : error })
    } finally {
      isRunning.current = false
    }
  }
  return { run, ...state }
}
