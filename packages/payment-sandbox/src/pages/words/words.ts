import { english, type Words } from './english.js'
import { german } from './german.js'

const LANGUAGES: ReadonlyMap<string, Words> = new Map([
  ['en', english],
  ['de', german],
])

/**
 * The words of a page: in the language of its session's `locale`; without one, or for `auto`, in the first of
 * the browser's languages (Accept-Language) that there is; otherwise in English.
 */
export function wordsFor(locale: string | null, acceptLanguage = ''): Words {
  const asked = locale && locale !== 'auto' ? [locale] : preferred(acceptLanguage)
  const known = asked.map(tag => LANGUAGES.get(tag.toLowerCase().split('-')[0]!))
  return known.find(words => words !== undefined) ?? english
}

/** The language ranges of RFC 9110, most wanted first. */
function preferred(acceptLanguage: string): string[] {
  return acceptLanguage
    .split(',')
    .map(range => {
      const [tag = '', quality = '1'] = range.trim().split(/\s*;\s*q=/)
      return { tag, quality: Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag)
}
