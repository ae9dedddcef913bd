import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(__dirname, '../../..')

/** The first code under this heading of docs/integrate.md. */
export async function documentedCode(heading: string): Promise<string> {
  return (await documentedBlocks(heading))[0] as string
}

/** All code under this heading, up to the next of its kind. */
export async function documentedBlocks(heading: string, page = 'docs/integrate.md'): Promise<string[]> {
  const text = await readFile(join(ROOT, page), 'utf8')
  const [, marks = '', section = ''] = new RegExp(`^(#+) ${heading}\\n([\\s\\S]*)`, 'm').exec(text) ?? []
  const [own = ''] = section.split(`\n${marks} `)
  const blocks = [...own.matchAll(/^```\w+\n([\s\S]*?)^```/gm)].map(([, code = '']) => code)
  if (blocks.length === 0) throw new Error(`There is no code under "${heading}"`)
  return blocks
}
