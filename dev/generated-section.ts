import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '../src/platform/config/package-root.js'

/** A part of a page of docs/ that a command writes; people write the rest of the page. */
export interface GeneratedSection {
  /** Of the page, such as `docs/settings.md`. */
  readonly path: string
  /** What it shows, and the command that writes it, as in `settings: npm run settings`. */
  readonly title: string
}

/** The page as it is stored, with `content` in the place of the section. Throws as {@link withSection} does. */
export async function pageWithSection(section: GeneratedSection, content: string): Promise<string> {
  return withSection(section, await readFile(join(PACKAGE_ROOT, section.path), 'utf8'), content)
}

/** The page's text with `content` in the place of the section. Throws where the page has no place for it. */
export function withSection({ path, title }: GeneratedSection, page: string, content: string): string {
  const begin = `<!-- ${title} writes what follows -->`
  const end = `<!-- end of ${title.split(':')[0]} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`${path} has no ${begin} followed by ${end}`)
  return `${page.slice(0, from + begin.length)}\n\n${content.trim()}\n\n${page.slice(to)}`
}
