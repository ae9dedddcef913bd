import { I18n } from '@lingui/core'
import type messages from '../../messages/en.json'

/** The name of a message in web/messages/. */
export type MessageKey = keyof typeof messages

/** Its messages are loaded before anything is drawn; see language.ts. */
export const i18n = new I18n({})

/**
 * The message of this name in the language of the page. Call it while drawing, not when a module is loaded: the language
 * is not known then, and it can change.
 */
export function t(key: MessageKey, values?: Readonly<Record<string, string | number>>): string {
  return i18n._(key, values)
}

/** What dates and numbers are written by: the language of the page, with its country where the browser says one. */
export function locale(): string {
  return i18n.locales?.[0] ?? i18n.locale
}
