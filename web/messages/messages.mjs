// The message files of a folder: one for each language, named by it, such as `de.json`; and the short names that the build
// gives to messages.
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

// Names of messages that the build puts in the place of the long ones: those are a tenth of what a page loads.

/** A name in quotation marks: that of a message, or of something else that is called the same. */
const QUOTED_NAME = /(['"])([a-zA-Z]+(?:\.[\w-]+)+)\1/g
/** As pages ask for a message: t('login.title'), <T id="login.title">, t(isSent ? 'mailForm.title' : 'login.forgot'). */
const ASKED_NAME = new RegExp(`(?<=(?:\\bt\\(|\\bid=\\{?)(?:[^;,(){}]*[?:])?\\s*)${QUOTED_NAME.source}`, 'g')
/**
 * The start of a name that a page puts together: `error.${code}`. Every name with such a start stays long, so these names
 * have a start of their own.
 */
const STARTED_NAME = /`([a-zA-Z]+(?:\.[\w-]+)*\.)\$\{/g

/**
 * The names of the messages that the pages in these folders ask for, by their long ones: a short one, which is a
 * place in a list (`0`, `1`, …), where pages ask for the message by its whole name; the long one where they put the
 * name together, or have it anywhere else, where it may mean something else. What these pages do not ask for is not
 * among them.
 */
export function shortNames(keys, folders) {
  const sources = folders.flatMap(sourcesIn)
  const found = pattern => sources.flatMap(source => [...source.matchAll(pattern)])
  const quoted = countsOf(found(QUOTED_NAME).map(([, , name]) => name))
  const asked = countsOf(found(ASKED_NAME).map(([, , name]) => name))
  const starts = found(STARTED_NAME).map(([, start]) => start)
  const isStarted = key => starts.some(start => key.startsWith(start))
  const isLong = key => isStarted(key) || quoted.get(key) !== asked.get(key)
  const used = keys.filter(key => quoted.has(key) || isStarted(key))
  const short = used.filter(key => !isLong(key))
  return new Map([
    ...short.map((key, index) => [key, `${index}`]),
    ...used.filter(isLong).map(key => [key, key]),
  ])
}

/** A source with short names in it. */
export function shorten(code, names) {
  return code.replace(ASKED_NAME, (quoted, _, key) => (names.has(key) ? `'${names.get(key)}'` : quoted))
}

function countsOf(names) {
  const counts = new Map()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => readFileSync(`${folder}${name}`, 'utf8'))
}
