import { fileURLToPath } from 'node:url'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { faultsOf, REFERENCE, readMessages, shorten, shortNames, withOwnMessages } from './messages.mjs'

const MODULE = 'virtual:languages'
/** Of messages that are loaded when the service has found fault with a field: most people never see one. */
const FOUND_LATER = 'fieldFault.'
const LATER = '\0later-messages-'
const PAGES = fileURLToPath(new URL('../', import.meta.url))

/**
 * Gives the pages of a site the module `virtual:languages`, made from the message files of a folder (a path that ends in
 * a slash), and from those of `ownFolder`, which has what this site alone says, in the languages that it is in; null
 * where there is nothing. Messages that the site does not ask for are left out. Messages are compiled here, because the
 * policy of the pages forbids to do it there, and each language is a chunk of its own, with another one for what is
 * found later. Fails the build where the files do not agree.
 */
export function messageFiles(site, folder, ownFolder = null) {
  let files = []
  let names = new Map()
  return {
    name: 'mainstay-messages',
    enforce: 'pre',
    config: () => ({ json: { namedExports: false } }),
    buildStart() {
      const own = ownFolder ? readMessages(ownFolder) : null
      files = own ? withOwnMessages(readMessages(folder), own) : readMessages(folder)
      const faults = faultsOf(files)
      if (faults.length > 0) throw new Error(faults.join('\n'))
      const reference = files.find(({ language }) => language === REFERENCE)
      names = shortNames(Object.keys(reference.messages), [`${PAGES}pieces/`, `${PAGES}${site}/`])
      for (const { path } of [...files, ...(own ?? [])]) this.addWatchFile(path)
    },
    resolveId: id => (id === MODULE || id.startsWith(LATER.slice(1)) ? `\0${id}` : null),
    load(id) {
      if (id === `\0${MODULE}`) return `export const languages = { ${files.map(languageSource).join(', ')} }`
      const later = files.find(({ language }) => id === `${LATER}${language}`)
      return later ? `export default ${compiled(later.messages, [...names.keys()].filter(isLater))}` : null
    },
    transform(code, id) {
      const file = files.find(({ path }) => path === id)
      if (file) return { code: compiledAtFirst(file.messages, names), map: null }
      if (id.startsWith(PAGES) && /\.tsx?$/.test(id)) return { code: shorten(code, names), map: null }
      return null
    },
  }
}

const isLater = key => key.startsWith(FOUND_LATER)

/** As JSON: the compiled messages that have short names, in a list, and the others by their long names. */
function compiledAtFirst(messages, names) {
  const keys = [...names.keys()].filter(key => !isLater(key))
  const isShort = key => names.get(key) !== key
  const list = keys.filter(isShort).map(key => compileMessage(messages[key]))
  const others = keys.filter(key => !isShort(key))
  return `[${JSON.stringify(list)}, ${compiled(messages, others)}]`
}

/** Compiled messages, as JSON, by their long names. */
function compiled(messages, keys) {
  return JSON.stringify(Object.fromEntries(keys.map(key => [key, compileMessage(messages[key])])))
}

function languageSource({ language, path }) {
  const { direction } = new Intl.Locale(language).getTextInfo()
  // Said here, because a browser takes 40 ms to find out.
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language)
  const loaded = module => `() => import(${JSON.stringify(module)})`
  // A short name is a place in the list.
  const load = `${loaded(path)}.then(file => Object.assign(...file.default))`
  const loadLater = `${loaded(`${LATER.slice(1)}${language}`)}.then(file => file.default)`
  return `${JSON.stringify(language)}: { name: ${JSON.stringify(name)}, direction: '${direction}', load: ${load}, loadLater: ${loadLater} }`
}
