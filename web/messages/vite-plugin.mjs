import { fileURLToPath } from 'node:url'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { faultsOf, REFERENCE, readMessages, withOwnMessages } from './read-messages.mjs'
import { shorten, shortNames } from './short-names.mjs'

const MODULE = 'virtual:languages'
const PAGES = fileURLToPath(new URL('../', import.meta.url))

/**
 * Gives pages the module `virtual:languages`, made from the message files of a folder (a path that ends in a slash), and
 * from those of `ownFolder`, which has what this site alone says, in the languages that it is in; null where there is nothing.
 * Messages are compiled here, because the policy of the pages forbids to do it there, and each language is a chunk of
 * its own. Fails the build where the files do not agree.
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
    resolveId: id => (id === MODULE ? `\0${MODULE}` : null),
    load: id =>
      id === `\0${MODULE}` ? `export const languages = { ${files.map(languageSource).join(', ')} }` : null,
    transform(code, id) {
      const file = files.find(({ path }) => path === id)
      if (file) return { code: compiled(file.messages, names), map: null }
      if (id.startsWith(PAGES) && /\.tsx?$/.test(id)) return { code: shorten(code, names), map: null }
      return null
    },
  }
}

/** The messages of a file, with short names and compiled. */
function compiled(messages, names) {
  const entries = Object.entries(messages)
  return JSON.stringify(
    Object.fromEntries(entries.map(([key, text]) => [names.get(key) ?? key, compileMessage(text)])),
  )
}

function languageSource({ language, path }) {
  const { direction } = new Intl.Locale(language).getTextInfo()
  // Said here, because a browser takes 40 ms to find out.
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language)
  const load = `() => import(${JSON.stringify(path)}).then(file => file.default)`
  return `${JSON.stringify(language)}: { name: ${JSON.stringify(name)}, direction: '${direction}', load: ${load} }`
}
