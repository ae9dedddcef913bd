import { I18n } from '@lingui/core'
import type messages from '../../messages/en.json'

/** The name of a message in web/messages/. */
export type MessageKey = keyof typeof messages

/** Its messages are loaded before anything is drawn; see language.ts. */
export const i18n = new I18n({})

/**
 * The message with this name in the page's language. Call it while rendering, not when a module is loaded:
 * then the language is not yet known, and it can change later.
 */
export function t(key: MessageKey, values?: Readonly<Record<string, string | number>>): string {
  return i18n._(key, values)
}

/** The locale for dates and numbers: the page's language, with the browser's country if it names one. */
export function locale(): string {
  return i18n.locales?.[0] ?? i18n.locale
}
