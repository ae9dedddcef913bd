import { i18n } from '../../pieces/language/t.js'
import { type ConsoleKey, t } from '../language.js'

/**
 * Why: in quotation marks as an operator has typed it; in the reader's language as the service records it. `typed`: it
 * is an operator's, whatever it says.
 */
export function Reason({
  typed = false,
  children: reason,
}: {
  readonly typed?: boolean
  readonly children: string
}) {
  if (typed) return <q>{reason}</q>
  const key = `console.because.${reason}`
  if (Object.hasOwn(i18n.messages, key)) return t(key as ConsoleKey)
  return isCode(reason) ? <code>{reason}</code> : <q>{reason}</q>
}

/** Of the API's errors, such as `LAST_OWNER`: the same in every language. */
function isCode(reason: string): boolean {
  return /^[A-Z]+(_[A-Z]+)+$/.test(reason)
}
