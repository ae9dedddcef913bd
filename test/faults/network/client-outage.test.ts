import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Client, mainClient, mobileClient } from '@mainstay-auth/client'
import { browserFetch } from '../../support/client/browser-fetch.js'
import { memoryStorage } from '../../support/client/memory-storage.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, PASSWORD } from '../../support/people.js'
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres-server.js'
import { MAIN, TestApp } from '../../support/test-app.js'

let postgres: PostgresServer
let app: TestApp
beforeAll(async () => {
  postgres = await startPostgres()
  app = await TestApp.start({ DATABASE_URL: postgres.url })
})
afterAll(async () => {
  await app?.stop()
  await postgres?.stop()
})

test('a client waits out an outage of the database, and nobody is logged out', async () => {
  const { email } = await anOwner(app)
  const statuses: [number[], number[]] = [[], []]
  const clients: Client[] = [
    mainClient({ baseUrl: app.url, fetch: noting(browserFetch(MAIN), statuses[0]) }),
    mobileClient({ baseUrl: app.url, storage: memoryStorage(), fetch: noting(fetch, statuses[1]) }),
  ]
  for (const client of clients) await client.login({ email, password: PASSWORD })
  const changes: string[] = []
  for (const client of clients) client.onChange(({ status }) => changes.push(status))

  await postgres.kill('SIGQUIT')
  await expect(clients[0]?.login({ email, password: PASSWORD })).rejects.toMatchObject({
    status: 503,
    code: 'DATABASE_UNAVAILABLE',
  })
  app.clock.advance(910)
  const reading = clients.map(client => client.fetch('/api/data'))
  const answered: unknown[] = []
  for (const one of reading) void one.finally(() => answered.push(one))
  await eventually(() => statuses.every(seen => seen.includes(503)), { what: 'both to be refused' })
  expect(answered).toEqual([])
  await postgres.restart()

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
