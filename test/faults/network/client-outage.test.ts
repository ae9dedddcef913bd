import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Client, mainClient, mobileClient } from '@mainstay-auth/client'
import { browserFetch } from '../../support/client/browser-fetch.js'
import { memoryStorage } from '../../support/client/memory-storage.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, PASSWORD } from '../../support/people.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { MAIN } from '../../support/test-app.js'
import { type StoreService, startServiceOn } from '../support/store-service.js'

let redis: RedisServer
let service: StoreService
beforeAll(async () => {
  redis = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] })
  service = await startServiceOn(redis.url)
})
afterAll(async () => {
  await service?.stop()
  await redis?.stop()
})

test('a client waits out an outage of the session store, and nobody is logged out', async () => {
  const { app } = service
  const { email } = await anOwner(app)
  const statuses: [number[], number[]] = [[], []]
  const clients: Client[] = [
    mainClient({ baseUrl: app.url, fetch: noting(browserFetch(MAIN), statuses[0]) }),
    mobileClient({ baseUrl: app.url, storage: memoryStorage(), fetch: noting(fetch, statuses[1]) }),
  ]
  for (const client of clients) await client.login({ email, password: PASSWORD })
  const changes: string[] = []
  for (const client of clients) client.onChange(({ status }) => changes.push(status))

  await redis.kill('SIGKILL')
  await expect(clients[0]?.login({ email, password: PASSWORD })).rejects.toMatchObject({
    status: 503,
    code: 'SESSION_STORE_UNAVAILABLE',
  })
  app.clock.advance(910)
  const reading = clients.map(client => client.fetch('/api/data'))
  const answered: unknown[] = []
  for (const one of reading) void one.finally(() => answered.push(one))
  await eventually(() => statuses.every(seen => seen.includes(503)), { what: 'both to be refused' })
  expect(answered).toEqual([])
  await redis.restart()

  expect((await Promise.all(reading)).map(({ status }) => status)).toEqual([200, 200])
  // They hear why they wait; nobody is logged out.
  expect(changes.filter(status => status !== 'loggedIn')).toEqual([])
  for (const client of clients) client.close()
})

/** Notes what every refresh was answered. */
function noting(send: typeof fetch, statuses: number[]): typeof fetch {
  return async (input, init) => {
    const answer = await send(input, init)
    if (new URL(String(input)).pathname === '/api/refresh') statuses.push(answer.status)
    return answer
  }
}
