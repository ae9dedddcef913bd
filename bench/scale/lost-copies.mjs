import { Agent, request } from 'node:http'
import { startRedis, withRedis } from '../machine.mjs'
import { refreshRequests, seed } from '../seed.mjs'
import { environmentOf, startService } from '../service.mjs'

const CLIENTS = 48
const MILLION = 1_000_000

/**
 * So many sessions lose their copies at once, and each refreshes as soon as one of 48 connections is free: how long until all
 * have copies again, and how long answers take before, meanwhile and afterwards.
 */
export async function measureLostCopies(databaseUrl, count) {
  const redisUrl = await startRedis('redis-lost')
  const environment = await environmentOf('lost_copies', databaseUrl, redisUrl)
  const { opened } = await seed(environment, { count, isCopied: false })
  const service = await startService('service-lost', environment)
  const { requests } = refreshRequests(opened)
  const refreshAll = () => sendAll(service, requests)
  // There are copies after that.
  await refreshAll()
  const before = await refreshAll()
  await withRedis(redisUrl, redis => redis.flushAll())
  const lost = await refreshAll()
  const copies = await withRedis(redisUrl, async redis => (await redis.keys('copy:*')).length)
  const after = await refreshAll()
  await service.child.stop()
  const name = `${count.toLocaleString('en')} sessions`
  return [
    row(`refreshes of ${name} with copies`, before),
    row(`refreshes of ${name} whose copies are lost`, lost),
    row(`refreshes of ${name} afterwards`, after),
    { what: 'copies that are there again', value: copies, bar: `≥ ${count}`, holds: copies >= count },
    {
      what: 'a million lost copies are there again after, s',
      value: ((lost.seconds * MILLION) / count).toFixed(0),
      bar: '',
      holds: null,
    },
  ]
}

function row(what, { seconds, p50, p99, cpuMicroseconds, refused }) {
  const value = `${seconds.toFixed(1)} s, half within ${p50.toFixed(1)} ms, 99 of 100 within ${p99.toFixed(1)} ms, ${cpuMicroseconds.toFixed(0)} µs of the service`
  return { what, value: `${value}, ${refused} refused`, bar: 'none refused', holds: refused === 0 }
}

/** Each request once. */
async function sendAll({ port, child }, requests) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const took = []
  let refused = 0
  const left = requests.values()
  const cpuBefore = child.cpuSeconds()
  const startedAt = performance.now()
  const client = async () => {
    for (const { method, path, headers } of left) {
      const sentAt = performance.now()
      const status = await statusOf({ agent, host: '127.0.0.1', port, method, path, headers })
      took.push(performance.now() - sentAt)
      if (status !== 200) refused++
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const seconds = (performance.now() - startedAt) / 1000
  const cpuMicroseconds = ((child.cpuSeconds() - cpuBefore) * 1e6) / took.length
  agent.destroy()
  took.sort((one, other) => one - other)
  const within = share => took[Math.floor(took.length * share)]
  return { seconds, p50: within(0.5), p99: within(0.99), cpuMicroseconds, refused }
}

function statusOf(options) {
  return new Promise((resolve, reject) => {
    request(options, response => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
      .on('error', reject)
      .end()
  })
}
