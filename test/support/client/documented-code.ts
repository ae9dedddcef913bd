import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(__dirname, '../../..')
/** Where pages and backends find their code. */
const INTEGRATE = 'docs/integrate'

/** The first code under this heading of a page in docs/integrate. */
export async function documentedCode(heading: string): Promise<string> {
  return (await documentedBlocks(heading))[0] as string
}

/** All code under this heading of the page, or else of one in docs/integrate, up to the next of its kind. */
export async function documentedBlocks(heading: string, page?: string): Promise<string[]> {
  const text = page ? await readFile(join(ROOT, page), 'utf8') : await integratePages()
  const [, marks = '', section = ''] = new RegExp(`^(#+) ${heading}\\n([\\s\\S]*)`, 'm').exec(text) ?? []
  const [own = ''] = section.split(`\n${marks} `)
  const blocks = [...own.matchAll(/^```\w+\n([\s\S]*?)^```/gm)].map(([, code = '']) => code)
  if (blocks.length === 0) throw new Error(`There is no code under "${heading}"`)
  return blocks
}

async function integratePages(): Promise<string> {
  const files = await readdir(join(ROOT, INTEGRATE))
  const texts = await Promise.all(files.map(file => readFile(join(ROOT, INTEGRATE, file), 'utf8')))
  return texts.join('\n')
}
