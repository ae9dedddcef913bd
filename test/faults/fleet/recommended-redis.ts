import { readFileSync } from 'node:fs'

const PAGE = 'docs/operations/redis.md'
const BLOCK = /^# redis\.conf of every node\n([^`]*)^```/m

/** What docs/operations/redis.md tells operators to set on every node, read from the page itself. */
export function recommendedRedisSettings(): Readonly<Record<string, string>> {
  const block = BLOCK.exec(readFileSync(PAGE, 'utf8'))?.[1]
  if (!block) throw new Error(`${PAGE} has no settings for the nodes of a cluster`)
  const lines = block.split('\n').map(line => line.replace(/#.*/, '').trim())
  const settings = lines.filter(line => line !== '').map(line => line.split(/\s+/, 2))
  return Object.fromEntries(settings.map(([name, value]) => [name, value === '""' ? '' : value]))
}
