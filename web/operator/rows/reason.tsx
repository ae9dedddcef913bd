import { i18n } from '../../pieces/language/t.js'
import type { LogRow } from '../answers.js'
import { type ConsoleKey, t } from '../language.js'

/** Why: in quotation marks as an operator has typed it; in the reader's language as the service records it. */
export function Reason({
  operator,
  outcome,
  children: reason,
}: {
  /** Who gave it, if it was an operator. */
  readonly operator: unknown
  readonly outcome: LogRow['outcome']
  readonly children: string
}) {
  // What an operator has done in the console always has their own reason; at the command line it may be the service's.
  const isTyped = outcome === 'ok' && typeof operator === 'string' && operator !== 'command line'
  if (isTyped) return <q>{reason}</q>
  const key = `console.because.${reason}`
  if (Object.hasOwn(i18n.messages, key)) return t(key as ConsoleKey)
  return isCode(reason) ? <code>{reason}</code> : <q>{reason}</q>
}

/** Of the API's errors, such as `LAST_OWNER`: the same in every language. */
function isCode(reason: string): boolean {
  return /^[A-Z]+(_[A-Z]+)+$/.test(reason)
}
