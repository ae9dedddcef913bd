import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { MAIN, SHOP_ONE, TestApp } from '../support/test-app.js'
import { outcome, refreshByHeader } from './api-calls.js'

const REFUSALS = 1_000
const AT_ONCE = 50
/** Of one action between two flushes, with the row that counts the rest. */
const ROWS_A_FLUSH = 51
const FLUSH_MS = 500

let app: TestApp
beforeAll(async () => {
  app = await TestApp.start('embedded', { LOG_LEVEL: 'silent' })
})
afterAll(() => app.stop())

it('a thousand refused origins in a moment are a hundred audit rows or so, and none is forgotten', async () => {
  const startedAt = performance.now()
  for (let sent = 0; sent < REFUSALS; sent += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, refused))
  const flushes = 1 + Math.ceil((performance.now() - startedAt) / FLUSH_MS)
  // Something else that is refused at the same time is not lost in the flood.
  expect(outcome(await refreshByHeader(app, 'junk', { Origin: SHOP_ONE }))).toBe('401 SESSION_NOT_FOUND')

  const all = await app.auditRows()
  const rows = all.filter(({ action }) => action === 'origin')
  const counts = rows.filter(({ detail }) => 'alsoRefused' in detail)
  const rest = counts.reduce((sum, { detail }) => sum + (detail.alsoRefused as number), 0)
  expect(counts.length).toBeGreaterThan(0)
  expect(rows.length).toBeLessThanOrEqual(flushes * ROWS_A_FLUSH)
  expect(rows.length - counts.length + rest).toBe(REFUSALS)
  for (const row of counts) expect(row).toMatchObject({ outcome: 'refused', ip: null, origin: null })
  expect(all.filter(({ action }) => action === 'refresh')).toHaveLength(1)
})

async function refused(): Promise<void> {
  const headers = { Origin: 'https://flood.test' }
  const { headers: answered } = await app.request({ method: 'PUT', path: '/api/data', headers })
  expect(answered['access-control-allow-origin']).not.toBe(MAIN)
}
