import { defaultOf, type Setting } from '../../src/platform/config/setting.js'
import { SETTINGS_GROUPS } from '../../src/platform/config/tables.js'
import { meaningOf, oneDefaultInWords } from './setting-in-words.js'

export type ExampleName = 'development' | 'production'

const LINE_LENGTH = 110

const HEADERS: Readonly<Record<ExampleName, string>> = {
  development:
    'Development on a laptop: database and sessions embedded, payments from a sandbox, mails in an outbox. ' +
    'No secret here is a real one. A variable of the same name in the environment wins. ' +
    '<PORT+10> is ten more than PORT, so that a second instance beside the first sets PORT and DATA_DIR alone.',
  production:
    'Copy to config/production.env, or set the same names in the environment, which wins. ' +
    'The service does not start without the settings that have no default.',
}
const GENERATED = 'Written by npm run settings from src/platform/config/tables.ts.'

/** The text of config/development.env or config/production.env.example. */
export function envExample(name: ExampleName): string {
  const groups = SETTINGS_GROUPS.map(({ title, introduction, table }) =>
    [
      [`# ---- ${title} ----`, ...(introduction ? [comment(introduction)] : [])].join('\n'),
      ...Object.values(table).flatMap(setting => entry(setting, name)),
    ].join('\n\n'),
  )
  return `${[`${comment(HEADERS[name])}\n${comment(GENERATED)}`, ...groups].join('\n\n')}\n`
}

function entry(setting: Setting, name: ExampleName): string[] {
  const example = setting.examples?.[name]
  if (example === null) return []
  const isProduction = name === 'production'
  const value = example ?? plainDefault(setting, isProduction)
  const words = oneDefaultInWords(setting, isProduction)
  const isTold = words === 'empty' || words === `\`${value}\``
  const about = isTold ? meaningOf(setting) : `${meaningOf(setting)} ${sentence(words)}`
  return [`${comment(about)}\n${setting.name}=${value}`]
}

/** Empty where the default is computed at start, or where there is none. */
function plainDefault(setting: Setting, isProduction: boolean): string {
  const text = defaultOf(setting, isProduction)
  return typeof text !== 'string' || text.includes('<') || setting.defaultInWords ? '' : text
}

function sentence(words: string): string {
  if (words === 'required') return 'Required.'
  return words.startsWith('empty: ') ? `E${words.slice(1)}.` : `Default: ${words}.`
}

function comment(markdown: string): string {
  const text = markdown.replaceAll('`', '').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line && line.length + word.length < LINE_LENGTH) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(`# ${word}`)
  }
  return lines.join('\n')
}
