import type messages from '../../messages/en.json'
import { type CompiledMessage, fillIn } from './compiled-message.js'

/** The name of a message in web/messages/. */
export type MessageKey = keyof typeof messages

export type CompiledMessages = Readonly<Record<string, CompiledMessage>>

/** What the page speaks. Loaded before anything is drawn; see language.ts. */
export const i18n = {
  /** The language. */
  locale: 'en',
  /** For dates and numbers: the language, with the browser's country if it names one. */
  regional: 'en',
  messages: {} as CompiledMessages,
}

/**
 * The message with this name in the page's language. Call it while rendering, not when a module is loaded:
 * then the language is not yet known, and it can change later.
 */
export function t(key: MessageKey, values: Readonly<Record<string, string | number>> = {}): string {
  return fillIn(i18n.messages[key] ?? key, values, i18n.regional)
}

/** The locale for dates and numbers: the page's language, with the browser's country if it names one. */
export function locale(): string {
  return i18n.regional
}
