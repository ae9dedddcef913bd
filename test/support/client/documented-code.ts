import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const PAGE = join(__dirname, '../../../docs/integrate.md')

/** The code under this heading of docs/integrate.md. */
export async function documentedCode(heading: string): Promise<string> {
  const text = await readFile(PAGE, 'utf8')
  const section = new RegExp(`^#+ ${heading}\\n[\\s\\S]*?\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``, 'm').exec(text)
  if (!section) throw new Error(`There is no code under "${heading}"`)
  return section[1] as string
}
