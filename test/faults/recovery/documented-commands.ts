import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { promisify } from 'node:util'
import { postgresProgram } from '../../support/postgres/postgres-program.js'

const PAGE = 'docs/recovery.md'
const ENDS_WITHIN_MS = 60_000

/**
 * Runs the block of docs/recovery.md under this heading that has this text in it, as an operator would, with these variables;
 * returns what it printed. Rejects with its output when a command fails, and when the page has no such block, or several.
 */
export async function runDocumented(
  heading: string,
  text: string,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const folders = [process.execPath, postgresProgram('pg_basebackup')].map(dirname)
  const PATH = [...folders, process.env.PATH].join(delimiter)
  const { stdout } = await promisify(execFile)('bash', ['-euc', blockOf(heading, text)], {
    env: { PATH, ...variables },
    timeout: ENDS_WITHIN_MS,
  })
  return stdout
}

function blockOf(heading: string, text: string): string {
  const sections = readFileSync(PAGE, 'utf8').split(/^## /m)
  const section = sections.find(each => each.startsWith(`${heading}\n`)) ?? ''
  const blocks = [...section.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)]
    .map(([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
    .filter(block => block.includes(text))
  if (blocks.length !== 1)
    throw new Error(`${PAGE} has ${blocks.length} blocks with ${text} under ${heading}`)
  return blocks[0] as string
}
