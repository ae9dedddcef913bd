import { describe, expect, it, jest } from '@jest/globals'
import { ProviderBulkhead } from '../../sources.js'

const PLACES = 50

describe('The bulkhead before the payment provider', () => {
  it('lets fifty wait, and refuses the next one before it asks anything', async () => {
    const bulkhead = new ProviderBulkhead()
    const waiting = Array.from({ length: PLACES }, () => held(bulkhead))
    const work = jest.fn(async () => 'done')
    await expect(bulkhead.run(work)).rejects.toMatchObject({ code: 'TOO_BUSY', status: 503 })
    expect(work).not.toHaveBeenCalled()
    waiting[0]?.release()
    await waiting[0]?.answer
    await expect(bulkhead.run(work)).resolves.toBe('done')
    for (const { release } of waiting) release()
  })

  it('gives a place back when the work fails', async () => {
    const bulkhead = new ProviderBulkhead()
    const broken = async () => {
      throw new Error('broken')
    }
    for (let count = 0; count <= PLACES; count++) await expect(bulkhead.run(broken)).rejects.toThrow('broken')
    await expect(bulkhead.run(async () => 'done')).resolves.toBe('done')
  })

  it('tells whoever waits too long, while the work goes on and keeps its place', async () => {
    const bulkhead = new ProviderBulkhead()
    const slow = Array.from({ length: PLACES }, () => held(bulkhead, 10))
    for (const { answer } of slow)
      await expect(answer).rejects.toMatchObject({ code: 'PAYMENT_PROVIDER_UNAVAILABLE', status: 503 })
    await expect(bulkhead.run(async () => 'done')).rejects.toMatchObject({ code: 'TOO_BUSY' })
    for (const { release } of slow) release()
    await new Promise(setImmediate)
    await expect(bulkhead.run(async () => 'done')).resolves.toBe('done')
  })
})

function held(bulkhead: ProviderBulkhead, patienceMs?: number) {
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  return { answer: bulkhead.run(() => released, patienceMs), release }
}
