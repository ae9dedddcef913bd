import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Finding } from '../../sources.js'
import { freePort } from '../../support/processes/free-port.js'
import { runInProcess } from '../../support/processes/run-in-process.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mainstay-doctor-'))
})
afterAll(() => rm(folder, { recursive: true }))

it('blames no setting for what npm start would run', async () => {
  const [service, payments, mails] = await Promise.all([freePort(), freePort(), freePort()])
  const url = `http://localhost:${service}`
  const { code, output } = await runInProcess(['doctor', url, '--json'], {
    NODE_ENV: 'development',
    PORT: String(service),
    STRIPE_API_URL: `http://localhost:${payments}`,
    SMTP_URL: `smtp://localhost:${mails}`,
    DATA_DIR: folder,
  })
  expect(code).toBe(1)
  const faults = (JSON.parse(output) as Finding[]).filter(({ check }) =>
    /^(mail|payments|service)/.test(check),
  )
  const todo = 'Run npm start, which has it there'
  const atPayments = { status: 'fault', saw: `Nothing answers at localhost:${payments}`, todo }
  expect(faults).toMatchObject([
    { check: 'mail', status: 'fault', saw: `Nothing answers at localhost:${mails}`, todo },
    { check: 'payments.prices', ...atPayments },
    { check: 'payments.webhook', ...atPayments },
    { check: 'payments.deliveries', ...atPayments },
    { check: 'payments.portal', ...atPayments },
    { check: 'service.answer', status: 'fault', saw: `Nothing answers at localhost:${service}`, todo },
    { check: 'service', status: 'skipped' },
  ])
})
