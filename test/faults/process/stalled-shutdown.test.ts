import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { BuiltServer } from '../../conformance/service/built-server.js'
import { failedMails } from '../../sources.js'
import { request } from '../../support/http-request.js'
import { anOwner } from '../../support/people.js'
import { freePort } from '../../support/processes/free-port.js'
import { MAIN } from '../../support/test-app.js'
import { startBesideBuilt } from './beside-built.js'

it('A request that never ends does not keep a stopping service from keeping its mails', async () => {
  const beside = await startBesideBuilt()
  const mailServer = createServer(socket => socket.end('421 Not now\r\n')).listen(0, '127.0.0.1')
  await once(mailServer, 'listening')
  const { port: smtpPort } = mailServer.address() as { port: number }
  const owner = await anOwner(beside.app)
  const service = await BuiltServer.start(
    await beside.environment({
      SMTP_URL: `smtp://127.0.0.1:${smtpPort}?tls=off`,
      MAIL_FROM: 'auth@main.test',
    }),
  )
  try {
    const { hostname, port } = new URL(service.url)
    const stalled = connect(Number(port), hostname)
    stalled.on('error', () => {})
    await once(stalled, 'connect')
    stalled.write(
      'POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n',
    )
    const forgot = { method: 'POST', path: '/api/password/forgot', body: { email: owner.email } }
    expect((await request(service.url, { ...forgot, headers: { Origin: MAIN } })).status).toBe(202)
    await sleep(500)
    expect(await service.end()).toBe(0)
    const kept = await beside.app.database.run(db => db.select().from(failedMails))
    expect(kept).toHaveLength(1)
    stalled.destroy()
  } finally {
    await service.stop()
    mailServer.close()
    await beside.stop()
  }
}, 60_000)

it.each(['SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const)(
  'stops on %s as on SIGTERM, and keeps its mails (W10)',
  async signal => {
    const beside = await startBesideBuilt()
    const owner = await anOwner(beside.app)
    const [smtpPort, environment] = await Promise.all([freePort(), beside.environment()])
    const service = await BuiltServer.start({
      ...environment,
      ...{ SMTP_URL: `smtp://127.0.0.1:${smtpPort}?tls=off`, MAIL_FROM: 'auth@main.test' },
    })
    try {
      const forgot = { method: 'POST', path: '/api/password/forgot', body: { email: owner.email } }
      expect((await request(service.url, { ...forgot, headers: { Origin: MAIN } })).status).toBe(202)
      expect(await service.end(signal)).toBe(0)
      const kept = await beside.app.database.run(db => db.select().from(failedMails))
      expect(kept).toHaveLength(1)
    } finally {
      await service.stop()
      await beside.stop()
    }
  },
  60_000,
)
