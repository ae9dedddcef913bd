// npm run bench -- scale: what should stay the same when there is more.
import { parseArgs } from 'node:util'
import { startPostgres, stopAll } from '../machine.mjs'
import { heading, markdownTable, print, verdict } from '../report.mjs'
import { measureLists } from './lists.mjs'
import { measureLostCopies } from './lost-copies.mjs'
import { measureProcesses } from './processes.mjs'
import { measureSessions } from './sessions.mjs'

const OPTIONS = {
  /** Of one Redis each; the first is what the others are compared with. */
  sessions: { type: 'string', default: '10000,1000000,5000000' },
  /** Whose copies are lost at once. */
  lost: { type: 'string', default: '50000' },
  /** Rows of the audit log. */
  audit: { type: 'string', default: '10000000' },
  members: { type: 'string', default: '20000' },
  /** Events that wait. */
  events: { type: 'string', default: '1000000' },
  /** Only these parts. */
  only: { type: 'string', default: 'sessions,lost,lists,processes' },
}

/** What grows: sessions, the audit log, a team, a queue, processes. Exit code 1 when a bar is missed. */
export async function measureScale(args) {
  const { values } = parseArgs({ args, options: OPTIONS })
  const numbers = text => text.split(',').map(Number)
  const parts = {
    sessions: url => measureSessions(url, numbers(values.sessions)),
    lost: url => measureLostCopies(url, Number(values.lost)),
    lists: url =>
      measureLists(url, {
        rows: Number(values.audit),
        members: Number(values.members),
        events: Number(values.events),
      }),
    processes: url => measureProcesses(url),
  }
  const startedAt = performance.now()
  const rows = []
  try {
    const databaseUrl = await startPostgres()
    for (const name of values.only.split(',')) {
      const found = await parts[name](databaseUrl)
      for (const { what, value } of found) console.error(`${what}: ${value}`)
      rows.push(...found)
    }
  } finally {
    await stopAll()
  }
  const lines = rows.map(({ what, value, bar, holds }) => [what, value, bar, verdict(holds)])
  const table = markdownTable(['figure', 'measured', 'bar', 'verdict'], lines)
  const seconds = (performance.now() - startedAt) / 1000
  print(
    `${heading('medians', seconds)}\n\n${table}`,
    rows.map(({ holds }) => holds),
  )
}
