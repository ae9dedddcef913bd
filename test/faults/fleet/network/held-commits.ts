import type pg from 'pg'
import { eventually } from '../../../support/eventually.js'

export interface HeldCommits {
  /** Resolves when a change waits to be recorded: it has been decided, and its maker has asked Redis all that it had to. */
  someoneWaits(): Promise<void>
  /** Lets it be recorded. Safe to repeat. */
  release(): Promise<void>
  /** Resolves when it is. */
  committed(): Promise<void>
}

/** Keeps changes of sessions from being recorded; whoever wants to waits. */
export async function holdCommits(database: pg.Pool): Promise<HeldCommits> {
  const newest = async () => (await database.query('select max(id) from session_changes')).rows[0].max
  const before = await newest()
  const client = await database.connect()
  await client.query('begin; lock table session_changes in share mode')
  let isReleased = false
  return {
    someoneWaits: async () => {
      await eventually(
        async () => {
          const waiting = `select 1 from pg_locks where relation = 'session_changes'::regclass and not granted`
          return (await database.query(waiting)).rowCount
        },
        { what: 'a change to wait for its record' },
      )
    },
    release: async () => {
      if (isReleased) return
      isReleased = true
      await client.query('commit')
      client.release()
    },
    committed: async () => {
      await eventually(async () => (await newest()) !== before, { what: 'the change to be recorded' })
    },
  }
}
