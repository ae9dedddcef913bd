import type { Setting } from '../../src/platform/config/setting.js'
import { SETTINGS_GROUPS } from '../../src/platform/config/tables.js'
import { defaultInWords, meaningOf } from './setting-in-words.js'

const BEGIN = '<!-- settings: npm run settings writes what follows -->'
const END = '<!-- end of settings -->'

/** README's text with the settings from the code. Throws when it has no place for them. */
export function withSettings(readme: string): string {
  const begin = readme.indexOf(BEGIN)
  const end = readme.indexOf(END)
  if (begin < 0 || end < begin) throw new Error(`README.md has no ${BEGIN} followed by ${END}`)
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${section()}\n${readme.slice(end)}`
}

function section(): string {
  return SETTINGS_GROUPS.map(({ title, introduction, table }) =>
    [
      `### ${title}\n`,
      ...(introduction ? [`${introduction}\n`] : []),
      '| setting | default | meaning |',
      '|---|---|---|',
      ...Object.values(table).map(row),
      '',
    ].join('\n'),
  ).join('\n')
}

function row(setting: Setting): string {
  return `| \`${setting.name}\` | ${defaultInWords(setting)} | ${meaningOf(setting)} |`
}
