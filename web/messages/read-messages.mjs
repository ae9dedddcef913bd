// The message files of a folder: one for each language, named by it, such as `de.json`.
import { readdirSync, readFileSync } from 'node:fs'
import { compileMessage } from '@lingui/message-utils/compileMessage'

/** What every other language is compared with. */
export const REFERENCE = 'en'

/** The files of a folder (a path that ends in a slash), as `{ language, path, messages }`. */
export function readMessages(folder) {
  return readdirSync(folder)
    .filter(name => name.endsWith('.json'))
    .map(name => ({
      language: name.replace(/\.json$/, ''),
      path: `${folder}${name}`,
      messages: JSON.parse(readFileSync(`${folder}${name}`, 'utf8')),
    }))
}

/** The messages of a site that has more of its own, in the languages that have both. */
export function withOwnMessages(files, own) {
  return files.flatMap(file => {
    const more = own.find(({ language }) => language === file.language)
    return more ? [{ ...file, messages: { ...file.messages, ...more.messages } }] : []
  })
}

/** A sentence for every key that a language lacks or has in excess, and for every message that takes other values. */
export function faultsOf(files) {
  const reference = files.find(({ language }) => language === REFERENCE)?.messages
  if (!reference) return [`${REFERENCE}.json is missing`]
  return files.flatMap(({ language, messages }) => [
    ...Object.keys(reference)
      .filter(key => !messages[key])
      .map(key => `${language}.json lacks ${key}`),
    ...Object.keys(messages)
      .filter(key => reference[key] === undefined)
      .map(key => `${language}.json has ${key}, which ${REFERENCE}.json has not`),
    ...Object.keys(reference)
      .filter(key => messages[key] && signatureOf(messages[key]) !== signatureOf(reference[key]))
      .map(
        key =>
          `${language}.json: ${key} takes ${signatureOf(messages[key])}, not ${signatureOf(reference[key])}`,
      ),
  ])
}

/** The values and elements of a message, such as `{host} <link>`, in the order of the alphabet. */
function signatureOf(message) {
  const found = new Set(message.match(/<\/?\w+>/g) ?? [])
  collectValues(compileMessage(message), found)
  return [...found].sort().join(' ') || 'nothing'
}

/** Of a compiled message: a text, or a list of texts and of `[name, type, cases]`. */
function collectValues(tokens, found) {
  if (!Array.isArray(tokens)) return
  for (const token of tokens) {
    if (!Array.isArray(token)) continue
    const [name, , cases] = token
    found.add(`{${name}}`)
    if (cases && typeof cases === 'object')
      for (const tokensOfCase of Object.values(cases)) collectValues(tokensOfCase, found)
  }
}
