import { openRedis } from '../../dist/src/platform/redis/redis.js'
import { startService } from '../contestants/service.mjs'
import { startRedis, withRedis } from '../machine/stores.mjs'
import { loginRequests, refreshRequests } from '../measure/requests.mjs'
import { inTurn, median, medianRatio } from '../measure/rounds.mjs'
import { seed } from '../seed.mjs'
import { environmentOf } from './environment-of.mjs'
import { FORM, fill } from './filler.mjs'

const BARS = { ratio: 1.05, bytes: 350 }

/** Processor time of refresh and login, of the service and of Redis, with more and more sessions in one Redis. */
export async function measureSessions(databaseUrl, sizes) {
  const servers = []
  for (const size of sizes) servers.push(await prepared(databaseUrl, size))
  const rows = []
  for (const kind of ['refresh', 'login']) {
    const contestants = servers.map(server => [
      `sessions-${server.size}`,
      seconds => loadOf(server, kind, seconds),
    ])
    const measured = await inTurn(Object.fromEntries(contestants))
    const [least] = Object.values(measured)
    for (const { size } of servers) rows.push(rowOf(kind, size, measured[`sessions-${size}`], least))
  }
  for (const { service } of servers) await service.child.stop()
  return [...rows, ...servers.map(({ size, bytes }) => bytesRow(size, bytes))]
}

async function prepared(databaseUrl, size) {
  const redisUrl = await startRedis(`redis-${size}`)
  const environment = {
    ...(await environmentOf(`sessions_${size}`, databaseUrl, redisUrl)),
    SESSION_FORM: FORM,
  }
  const { users, opened } = await seed(environment)
  const connection = await openRedis(redisUrl, 5_000)
  const bytes = await withRedis(redisUrl, redis => fill(redis, connection, size))
  connection.onApplicationShutdown()
  const service = await startService(`service-${size}`, environment)
  return { size, bytes, redisUrl, service, refresh: refreshRequests(opened), login: loginRequests(users) }
}

async function loadOf({ redisUrl, service, ...requests }, kind, seconds) {
  const before = await redisSeconds(redisUrl)
  const result = await requests[kind].load(service, seconds)
  const redisCpu = (await redisSeconds(redisUrl)) - before
  return { ...result, redisMicroseconds: (redisCpu * 1e6) / result.requests }
}

function redisSeconds(url) {
  return withRedis(url, async redis => {
    const info = await redis.info('cpu')
    const field = name => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)[1])
    return field('used_cpu_user') + field('used_cpu_sys')
  })
}

function rowOf(kind, size, rounds, least) {
  const of = (all, field) => all.map(round => round[field])
  const ratio = medianRatio(of(rounds, 'cpuMicroseconds'), of(least, 'cpuMicroseconds'))
  return {
    what: `${kind} with ${size.toLocaleString('en')} sessions, processor time, µs`,
    value: `${median(of(rounds, 'cpuMicroseconds')).toFixed(1)}, of Redis ${median(of(rounds, 'redisMicroseconds')).toFixed(1)}; × ${ratio.toFixed(2)}`,
    bar: rounds === least ? '' : `≤ × ${BARS.ratio}`,
    holds: rounds === least ? null : ratio <= BARS.ratio,
  }
}

function bytesRow(size, bytes) {
  // A table of Redis has as many places as the next power of two: half of them may be empty.
  return {
    what: `Redis memory of a session among ${size.toLocaleString('en')}, bytes`,
    value: bytes.toFixed(0),
    bar: `≤ ${BARS.bytes}`,
    holds: bytes <= BARS.bytes,
  }
}
