import { wholeNumber } from './setting-readers.js'
import type { SettingSheet } from './setting-sheet.js'

/** How the process stands in its surroundings: how much of them it takes, and how it leaves. */
export interface OperationSettings {
  /** From SIGTERM until the door closes: meanwhile load balancers have to see that the service is not ready. */
  readonly drainSeconds: number
}

/** Whoever waits longer for slow checks also has to tell the orchestrator, which kills after 30 s unless told otherwise. */
const MAX_DRAIN_SECONDS = 300
/** HAProxy's checks, every 2 s and three failures, take 6 s and what the last one takes. */
const USUAL_DRAIN_SECONDS = 8

export function readOperation(sheet: SettingSheet, isProduction: boolean): OperationSettings {
  return {
    drainSeconds: sheet.optional(
      'DRAIN_SECONDS',
      wholeNumber(0, MAX_DRAIN_SECONDS),
      isProduction ? USUAL_DRAIN_SECONDS : 0,
    ),
  }
}
