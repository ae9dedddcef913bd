import { compileMessage } from '@lingui/message-utils/compileMessage'
import { faultsOf, readMessages } from './read-messages.mjs'

const MODULE = 'virtual:languages'

/**
 * Gives pages the module `virtual:languages`, made from the message files of a folder (a path that ends in a slash).
 * Messages are compiled here, because the policy of the pages forbids to do it there, and each language is a chunk of
 * its own. Fails the build where the files do not agree.
 */
export function messageFiles(folder) {
  return {
    name: 'mainstay-messages',
    enforce: 'pre',
    resolveId: id => (id === MODULE ? `\0${MODULE}` : null),
    load(id) {
      if (id !== `\0${MODULE}`) return null
      const files = readMessages(folder)
      const faults = faultsOf(files)
      if (faults.length > 0) throw new Error(faults.join('\n'))
      for (const { path } of files) this.addWatchFile(path)
      return `export const languages = { ${files.map(languageSource).join(', ')} }`
    },
    transform(code, id) {
      if (!id.startsWith(folder) || !id.endsWith('.json')) return null
      const compiled = Object.entries(JSON.parse(code)).map(([key, text]) => [key, compileMessage(text)])
      return { code: JSON.stringify(Object.fromEntries(compiled)), map: null }
    },
  }
}

function languageSource({ language, path }) {
  const { direction } = new Intl.Locale(language).getTextInfo()
  const load = `() => import(${JSON.stringify(path)}).then(file => file.default)`
  return `${JSON.stringify(language)}: { direction: '${direction}', load: ${load} }`
}
