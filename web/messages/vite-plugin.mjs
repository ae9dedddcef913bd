import { fileURLToPath } from 'node:url'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { faultsOf, REFERENCE, readMessages, withOwnMessages } from './read-messages.mjs'
import { shorten, shortNames } from './short-names.mjs'

const MODULE = 'virtual:languages'
/** Of messages that are loaded when the service has found fault with a field: most people never see one. */
const FOUND_LATER = 'fieldFault.'
const LATER = '\0later-messages-'
const PAGES = fileURLToPath(new URL('../', import.meta.url))

/**
 * Gives pages the module `virtual:languages`, made from the message files of a folder (a path that ends in a slash), and
 * from those of `ownFolder`, which has what this site alone says, in the languages that it is in; null where there is nothing.
 * Messages are compiled here, because the policy of the pages forbids to do it there, and each language is a chunk of
 * its own, with another one for what is found later. Fails the build where the files do not agree.
 */
export function messageFiles(folder, ownFolder = null) {
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
      names = shortNames(Object.keys(reference.messages), PAGES)
      for (const { path } of [...files, ...(own ?? [])]) this.addWatchFile(path)
    },
    resolveId: id => (id === MODULE || id.startsWith(LATER.slice(1)) ? `\0${id}` : null),
    load(id) {
      if (id === `\0${MODULE}`) return `export const languages = { ${files.map(languageSource).join(', ')} }`
      const later = files.find(({ language }) => id === `${LATER}${language}`)
      return later ? `export default ${compiled(later.messages, key => isLater(key) && key)}` : null
    },
    transform(code, id) {
      const file = files.find(({ path }) => path === id)
      if (file)
        return { code: compiled(file.messages, key => !isLater(key) && (names.get(key) ?? key)), map: null }
      if (id.startsWith(PAGES) && /\.tsx?$/.test(id)) return { code: shorten(code, names), map: null }
      return null
    },
  }
}

const isLater = key => key.startsWith(FOUND_LATER)

/** Compiled messages, as JSON, by the names that `nameOf` gives them; without those that it gives none. */
function compiled(messages, nameOf) {
  const named = Object.entries(messages).map(([key, text]) => [nameOf(key), text])
  return JSON.stringify(
    Object.fromEntries(named.filter(([name]) => name).map(([name, text]) => [name, compileMessage(text)])),
  )
}

function languageSource({ language, path }) {
  const { direction } = new Intl.Locale(language).getTextInfo()
  // Said here, because a browser takes 40 ms to find out.
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language)
  const load = module => `() => import(${JSON.stringify(module)}).then(file => file.default)`
  return `${JSON.stringify(language)}: { name: ${JSON.stringify(name)}, direction: '${direction}', load: ${load(path)}, loadLater: ${load(`${LATER.slice(1)}${language}`)} }`
}
