import { describe, expect, it } from '@jest/globals'
import { slow } from '../../support/tiers.js'
import { type Fault, World } from './copies-model.js'

/** A thousand take half a minute: COPIES_MODEL_ORDERS=1000 after a change of the protocol. */
const ORDERS = Number(process.env.COPIES_MODEL_ORDERS ?? 200)

/** Each is a run of half a minute in which eight things go wrong, or of hours. */
const DISTURBANCES = 8

async function violationOf(seed: number, fault: Fault | null): Promise<string | null> {
  const violation = await new World(seed, fault).run(DISTURBANCES)
  return violation && `seed ${seed}: ${violation}`
}

/** Each breaks one rule of docs/decisions/redis-holds-copies-of-sessions.md. */
const FAULTS = [
  'polls see no late commits',
  'marks are not durable',
  'a change at asOf is older',
  'a sid is ignored',
  'a user is ignored',
  'an account is ignored',
  'overdue polls count',
  'polls that fail count',
  'copies are served before the first poll',
  'copies live for ever',
  'copies are put without their lease',
  'leases are all the same',
  'leases survive deletions',
  'a failed deletion is not waited for',
  'sessions are listed before the commit',
  'repeated changes are answered at once',
  'generations are ignored',
  'a restored database is not noticed',
] as const satisfies readonly Fault[]

describe('copies of sessions, whatever happens in whatever order', () => {
  it('serve nothing that contradicts an answered change, and log nobody out', async () => {
    for (let seed = 1; seed <= 40; seed++) expect(await violationOf(seed, null)).toBeNull()
  })

  it('do so that copies are served at all', async () => {
    const world = new World(1, null)
    await world.run(DISTURBANCES)
    expect(world.hits).toBeGreaterThan(world.refreshes / 4)
  })

  slow('hold that in more orders', async () => {
    for (let seed = 1_000; seed < 1_000 + ORDERS; seed++) expect(await violationOf(seed, null)).toBeNull()
  })

  slow.each(FAULTS)('would not if %s', async fault => {
    let violation: string | null = null
    for (let seed = 1; seed <= 400 && !violation; seed++) violation = await violationOf(seed, fault)
    expect(violation).not.toBeNull()
  })
})
