import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { saw } from '../reliability/saw.js'
import { randomFrom } from '../support/random.js'
import { CHANGES } from './crowd/changes.js'
import { FleetCrowd } from './crowd/fleet-crowd.js'
import type { FleetSession } from './crowd/fleet-session.js'
import { FAULTS, KILLED_MAKER } from './faults.js'
import { Fleet } from './fleet.js'
import { History, isAsFated } from './history.js'
import { Round } from './round.js'
import { RunReport } from './run-report.js'
import { Watch } from './watch.js'

/** `npm run test:faults -- --rounds 200 --seed 7` sets them; with every test each fault has one round. */
const ROUNDS = Number(process.env.FLEET_ROUNDS ?? FAULTS.length)
const SEED = Number(process.env.FLEET_SEED ?? 20_261_122)
/** No round begins later. */
const MINUTES = Number(process.env.FLEET_MINUTES ?? Number.POSITIVE_INFINITY)

/** More than the database was away, in seconds. Without Redis nobody is refused. */
const LONGEST_OUTAGE_SECONDS = 2
/** Sessions asked for again at the same time. */
const AT_ONCE = 20
/** So often all that ended so far is asked for again. */
const ASK_AGAIN_AFTER_ROUNDS = 50

const random = randomFrom(SEED)
const history = new History()
let fleet: Fleet

beforeAll(async () => {
  // Of which one is left alone.
  fleet = await Fleet.start(ROUNDS + 1)
}, 120_000)
afterAll(() => fleet?.stop())

test(
  'fleet 1: nothing that was ended or taken comes back, whatever a cluster loses meanwhile',
  async () => {
    const report = new RunReport(history, { planned: ROUNDS, seed: SEED }, process.env.FLEET_REPORT)
    const endsBy = performance.now() + MINUTES * 60_000
    const crowd = new FleetCrowd(fleet, random)
    const ended: FleetSession[] = []
    const offset = random.below(CHANGES.length)
    for (let index = 0; index < ROUNDS && performance.now() < endsBy; index++) {
      const fault = FAULTS[index % FAULTS.length]!
      // All pairs come in turn: after each row of faults every change moves on by one.
      const change = changeFor(fault.name, offset + index + Math.floor(index / FAULTS.length))
      const name = `${index} (${fault.name}; ${change.name})`
      await fleet.redisIsWhole()
      const user = await crowd.member()
      const on = { fleet, user, chosen: random.oneOf(user.sessions), manager: await crowd.manager() }
      await change.prepare?.(on)
      const sessions = [on.manager, ...(await crowd.untouched()), ...user.sessions]
      const before = history.faults.length
      await new Round(change, fault, on, sessions, history, random).play(name)
      ended.push(...user.sessions.filter(({ fate }) => fate === 'ended'))
      if ((index + 1) % ASK_AGAIN_AFTER_ROUNDS === 0) await askAgain(ended)
      for (const line of history.faults.slice(before)) process.stdout.write(`${line}\n`)
      await report.played(fault.name)
    }
    await askAgain(ended)
    await report.finish()
    process.stdout.write(report.text())
    expect(history.faults).toEqual([])
    expect(history.revived).toBe(0)
    const secondsOf = (fault: string) => {
      const { ofShard, elsewhere } = history.longestOutages.get(fault) ?? { ofShard: 0, elsewhere: 0 }
      return Math.max(ofShard, elsewhere)
    }
    const tooLong = FAULTS.filter(
      ({ name, awaySeconds = 0 }) => secondsOf(name) > awaySeconds + LONGEST_OUTAGE_SECONDS,
    )
    expect(tooLong.map(({ name }) => `${name}: ${secondsOf(name)} s`)).toEqual([])
    saw('killed-in-change', {
      recoveredMs: secondsOf(KILLED_MAKER) * 1_000,
      lost: history.revived + history.faults.length,
    })
  },
  60_000 + ROUNDS * 120_000,
)

function changeFor(faultName: string, index: number) {
  const choices = CHANGES.filter(({ isAtCommandLine }) => faultName !== KILLED_MAKER || !isAtCommandLine)
  return choices[index % choices.length]!
}

/** What a later round lost must not have brought back what an earlier one ended. */
async function askAgain(ended: readonly FleetSession[]): Promise<void> {
  for (let start = 0; start < ended.length; start += AT_ONCE) {
    const watch = new Watch(ended.slice(start, start + AT_ONCE), fleet.replicas, history)
    await watch.until(isAsFated, 1)
    await watch.stop()
  }
}
