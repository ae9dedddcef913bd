import { readFileSync } from 'node:fs'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { i18n } from '../../web/pieces/t.js'

/** Loads the messages of the pages in one language, for tests of what the pages say without a browser. */
export function readLanguage(language: string): void {
  const messages: Record<string, string> = JSON.parse(readFileSync(`web/messages/${language}.json`, 'utf8'))
  Object.assign(i18n, {
    locale: language,
    regional: language,
    messages: Object.fromEntries(Object.entries(messages).map(([key, text]) => [key, compileMessage(text)])),
  })
}
