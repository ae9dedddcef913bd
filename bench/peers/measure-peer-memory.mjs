import { startRedis, withRedis } from '../machine/stores.mjs'
import { measureSessionMemory } from '../measure/measure-memory.mjs'
import { startPeer } from './start-peer.mjs'

/** As many as `measureSessionMemory` makes, four a user. */
const SESSIONS = 20_000
const USERS = 5_000

/** Bytes of an empty Redis's memory that a session takes, by contestant. */
export async function measureMemory(stores) {
  const { session } = await measureSessionMemory()
  return {
    Mainstay: session,
    'express-session': await ofPeer('express-session', stores),
    'oidc-provider': await ofPeer('oidc-provider', stores, { client: 'server' }),
    'better-auth': await ofPeer('better-auth', stores),
  }
}

async function ofPeer(program, stores, more) {
  const url = await startRedis(`redis-of-${program}`)
  const { child } = await startPeer(program, { ...stores, name: `${program}-of-memory`, REDIS_URL: url })
  // Whatever is there once, is there before the memory is looked at.
  await child.ask({ sessions: 1, users: 1, ...more })
  return withRedis(url, async redis => {
    await redis.flushAll()
    const empty = await usedMemory(redis)
    await child.ask({ sessions: SESSIONS, users: USERS, ...more })
    const full = await usedMemory(redis)
    await child.stop()
    return (full - empty) / SESSIONS
  })
}

async function usedMemory(redis) {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))[1])
}
