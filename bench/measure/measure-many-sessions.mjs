import { randomUUID } from 'node:crypto'
import { permissionsOf } from '../../dist/src/platform/permissions.js'
import { openRedis } from '../../dist/src/platform/redis/redis.js'
import { inBatches } from '../in-batches.mjs'
import { startRedis, withRedis } from '../machine/stores.mjs'
import { aSession, aStore } from './measure-memory.mjs'
import { median } from './rounds.mjs'

/** As many as a user may have. */
const SESSIONS = 50
const TIMES = 200

/** Milliseconds of the store for a user with 50 sessions, beside one round trip with nothing to do. */
export async function measureManySessions() {
  const url = await startRedis('redis-of-many-sessions')
  const connection = await openRedis(url, 300)
  const store = aStore(connection)
  const userId = randomUUID()
  const sessions = Array.from({ length: SESSIONS }, () => aSession(userId))
  const sids = sessions.map(({ sid }) => sid)
  await inBatches(SESSIONS, index => store.create(sessions[index]))
  const granted = permissionsOf(['dataEntry'])
  const list = async () => {
    const { length } = await store.findAll(sids, new Date())
    if (length !== SESSIONS) throw new Error(`${length} sessions are listed, not ${SESSIONS}`)
  }
  let version = 0
  const change = () => store.apply({ ended: [], grants: [{ version: ++version, granted, sids }] })
  const measured = await withRedis(url, async redis => ({
    roundTrip: await millisecondsOf(() => redis.ping()),
    list: await millisecondsOf(list),
    change: await millisecondsOf(change),
  }))
  connection.onApplicationShutdown()
  return measured
}

async function millisecondsOf(work) {
  const times = []
  for (let time = 0; time < TIMES; time++) {
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
  }
  return median(times)
}
