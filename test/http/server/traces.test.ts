import { expect, test } from '@jest/globals'
import { eventually } from '../../support/eventually.js'
import { anOwner, PASSWORD, signIn } from '../../support/people.js'
import { MAIN, TestApp } from '../../support/test-app.js'
import { TraceCollector } from '../../support/trace-collector.js'
import { outcome, refreshByCookie, subscribe } from '../support/api-calls.js'
import { untilCopied } from '../support/until-copied.js'

/** Sends what is waiting, rather than in five seconds. */
const SOON = { OTEL_BSP_SCHEDULE_DELAY: '50' }

test('traces show where the time of a request goes, and tell of nobody', async () => {
  const collector = await TraceCollector.start()
  Object.assign(process.env, SOON)
  const app = await TestApp.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  try {
    const owner = await anOwner(app)
    const main = await signIn(app, owner, 'main')
    const refresh = () => refreshByCookie(app, main.sessionId)
    await untilCopied(app, main.sessionId, refresh)
    expect(outcome(await refresh())).toMatch(/^200/)
    expect(outcome(await subscribe(app, main))).toMatch(/^201/)
    const body = { email: owner.email }
    const forgot = { method: 'POST', path: '/api/password/forgot', headers: { Origin: MAIN }, body }
    expect((await app.request(forgot)).status).toBe(202)
    await app.mailsTo(owner.email)
    await app.request({ path: `/api/members/${owner.id}?email=${owner.email}` })
    // The router itself refuses this one.
    await app.request({ path: `/api/members/${owner.id}%zz?email=${owner.email}` })

    const notJson = { 'Content-Type': 'application/json', Origin: MAIN }
    const broken = `{"password":"${PASSWORD}" ${PASSWORD}`
    expect((await app.post('/api/login', broken, notJson)).status).toBe(400)

    await eventually(() => collector.spans.filter(({ name }) => name === 'GET no route').length === 2)

    const names = (root: string, which?: 'last') =>
      new Set(collector.below(root, which)?.map(({ name }) => name))
    await eventually(async () => names('POST /api/password/forgot').has('mail'))
    expect(names('POST /api/login')).toContain('database statement')
    expect(names('POST /api/login')).toContain('store')
    expect(names('POST /api/refresh')).toContain('database statement')
    expect(names('POST /api/refresh', 'last')).toContain('store')
    expect(names('POST /api/refresh', 'last')).not.toContain('database statement')
    expect([...collector.spans.map(({ name }) => name)]).toContain('provider POST')
    expect(collector.spans.filter(({ status }) => status.message)).toEqual([])
    for (const told of [owner.email, owner.id, owner.accountId, PASSWORD, main.sessionId, main.accessToken])
      expect(collector.received).not.toContain(told)
  } finally {
    for (const name of Object.keys(SOON)) delete process.env[name]
    await app.stop()
    collector.stop()
  }
})

test('a collector that is away costs nobody anything', async () => {
  const app = await TestApp.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  })
  try {
    expect((await signIn(app, await anOwner(app), 'main')).answer.status).toBe(200)
    await app.app.close()
  } finally {
    await app.stop()
  }
})
