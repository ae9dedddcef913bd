import { posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownRenderer } from 'vitepress'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Folders and files with markdown that is not for readers of the site, or not ours; the start page does what README does. */
export const LEFT_OUT = [
  'README.md',
  'bench',
  'data',
  'dev',
  'dist',
  'node_modules',
  'packages',
  'src',
  'test',
  'test-output',
  'web',
]

const NAMES: Readonly<Record<string, string>> = {
  'SECURITY.md': 'security.md',
  'CONTRIBUTING.md': 'contributing.md',
}

/** Where the site has a file of the repository: `docs/decisions/README.md` is at `decisions/index.md`. */
export function placeOf(file: string): string {
  if (NAMES[file]) return NAMES[file]
  const path = file.replace(/^docs\//, '')
  return path.startsWith('deploy/')
    ? path.replace('/README.md', '.md')
    : path.replace('README.md', 'index.md')
}

/**
 * Links between pages are those of the repository, so that they work there too; here they lead to where the pages
 * are. A file that is no page is named, and no link.
 */
export function followRepositoryLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const folder = posix.dirname(
      relative(ROOT, env.realPath ?? env.path)
        .split(sep)
        .join('/'),
    )
    for (const { children } of tokens) for (const token of children ?? []) follow(token, folder)
  })
}

function follow(token: Token, folder: string): void {
  const href = token.type === 'link_open' ? token.attrGet('href') : null
  if (!href || /^([a-z]+:|#|\/)/.test(href)) return
  const [path = '', anchor] = href.split('#')
  const file = posix.join(folder, path)
  const isPage = file.endsWith('.md') && !LEFT_OUT.includes(file.split('/', 1)[0] as string)
  token.attrSet('href', isPage ? `/${placeOf(file)}${anchor ? `#${anchor}` : ''}` : '')
  if (isPage) return
  // Vue leaves out attributes that are empty; a link without an address is text.
  token.attrs = []
}
