import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '../../src/platform/config/package-root.js'
import { defaultOf, REQUIRED, type Setting } from '../../src/platform/config/setting.js'
import { ALL_SETTINGS, SETTINGS_GROUPS } from '../../src/platform/config/tables.js'
import { type GeneratedSection, pageWithSection } from '../generated-section.js'
import { COMMANDS, commandsReference } from './commands-reference.js'

const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
]

/** What the setting means and accepts, as full sentences in Markdown. */
function meaningOf(setting: Setting): string {
  const allowed = allowedValues(setting)
  return `${setting.meaning}.${allowed && ` Allowed: ${allowed}.`}${setting.isSecret ? ' Keep it secret.' : ''}`
}

function allowedValues({ read: { bounds, choices } }: Setting): string {
  if (choices) return choices.map(choice => `\`${choice}\``).join(', ')
  if (!bounds || bounds.max === null) return ''
  const inUnit = (number: number) => `${number}${durationNote(String(number), bounds.unit)}`
  return `${inUnit(bounds.min)} to ${inUnit(bounds.max)}`
}

/** The default in Markdown: "required", a value, or what an empty value means. */
function defaultInWords(setting: Setting): string {
  const production = oneDefaultInWords(setting, true)
  const otherwise = oneDefaultInWords(setting, false)
  return production === otherwise ? production : `${production}; in development ${otherwise}`
}

/** The default in production or elsewhere, in Markdown. */
function oneDefaultInWords(setting: Setting, isProduction: boolean): string {
  const text = defaultOf(setting, isProduction)
  if (text === REQUIRED) return 'required'
  if (text === '') return setting.defaultInWords ? `empty: ${setting.defaultInWords}` : 'empty'
  return setting.defaultInWords ?? `\`${text}\`${durationNote(text, setting.read.bounds?.unit)}`
}

/** " (15 minutes)" for 900 seconds; nothing where the number is just as readable without. */
function durationNote(text: string, unit: string | null | undefined): string {
  if (unit !== 'seconds') return ''
  const [name, length] = UNITS.find(([, seconds]) => Number(text) % seconds === 0) ?? []
  const count = length ? Number(text) / length : 0
  return count === 0 ? '' : ` (${count} ${name}${count === 1 ? '' : 's'})`
}

/** Settings that the chart itself decides. */
const OF_CHART = /^(NODE_ENV|HOST|PORT|(JWT|SECRETS)_KEYS_FILE|TLS_.*|METRICS_.*)$/
/** Refuses any setting whose name may be in the Secret's file, so that no secret gets into a ConfigMap. */
const SETTING = { type: ['string', 'number', 'boolean'] }

/** The schema of the chart's values, with its settings replaced by those of the table. */
function withChartSettings(schema: string): string {
  const parsed = JSON.parse(schema)
  const plain = ALL_SETTINGS.filter(({ name, isSecret }) => !isSecret && !OF_CHART.test(name))
  const properties = plain.map(setting => [setting.name, { ...SETTING, description: meaningOf(setting) }])
  parsed.properties.settings.properties = Object.fromEntries(properties)
  return `${JSON.stringify(parsed, null, 2)}\n`
}

type ExampleName = 'development' | 'production'

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
function envExample(name: ExampleName): string {
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

/** A table of each group, in Markdown for a page of docs/. */
function settingsTables(): string {
  const tables = SETTINGS_GROUPS.map(({ title, introduction, table }) =>
    [
      `## ${title}\n`,
      ...(introduction ? [`${introduction}\n`] : []),
      '| setting | default | meaning |',
      '|---|---|---|',
      ...Object.values(table).map(row),
      '',
    ].join('\n'),
  )
  return fromDocs(tables.join('\n'))
}

/** Links from the root of the repository, as the table of settings has them, lead to the same from a page of docs/. */
function fromDocs(markdown: string): string {
  return markdown.replaceAll(/\]\((docs\/)?/g, (_, folder) => (folder ? '](' : '](../'))
}

function row(setting: Setting): string {
  return `| \`${setting.name}\` | ${defaultInWords(setting)} | ${meaningOf(setting)} |`
}

const SETTINGS: GeneratedSection = { path: 'docs/settings.md', title: 'settings: npm run settings' }

/** The files that show the settings and the commands, by path, with the content that the code implies. */
export async function settingsFiles(): Promise<Readonly<Record<string, string>>> {
  const schema = 'deploy/helm/mainstay/values.schema.json'
  return {
    [SETTINGS.path]: await pageWithSection(SETTINGS, settingsTables()),
    [COMMANDS.path]: await pageWithSection(COMMANDS, commandsReference()),
    'config/development.env': envExample('development'),
    'config/production.env.example': envExample('production'),
    [schema]: withChartSettings(await readFile(join(PACKAGE_ROOT, schema), 'utf8')),
  }
}
