import { describe, expect, it } from '@jest/globals'
import { anApp } from '../../support/test-app.js'
import { outcome } from '../support/api-calls.js'
import { anEvent, keptEvents, postBytes, postEvent, signatureOf } from '../support/signed-event.js'

describe('the signature of an event', () => {
  const app = anApp()

  it.each([
    ['now', 0],
    ['almost five minutes ago', -290],
    ['almost five minutes ahead', 290],
  ])('is taken when made %s', async (_, secondsAhead) => {
    expect(outcome(await postEvent(app, anEvent(), { secondsAhead }))).toBe('200')
  })

  it.each([
    ['more than five minutes ago', { secondsAhead: -310 }],
    ['more than five minutes ahead', { secondsAhead: 310 }],
    ['with another secret', { secret: 'whsec_of_somebody_else' }],
  ])('is refused when made %s', async (_, deviation) => {
    const event = anEvent()
    expect(outcome(await postEvent(app, event, deviation))).toBe('400 INVALID_SIGNATURE')
    expect(await keptEvents(app, event.id)).toEqual([])
  })

  it.each([
    ['null', null],
    ['a list', []],
    ['text', 'evt_1'],
    ['a number', 1],
    ['an event without an id', anEvent({ id: undefined })],
    ['an event with a long id', anEvent({ id: 'e'.repeat(5_000) })],
  ])('is enough for a 200 to %s (W9)', async (_, body) => {
    expect(outcome(await postEvent(app, body as object))).toBe('200')
    expect(outcome(await postEvent(app, body as object, { secret: 'whsec_other' }))).toBe(
      '400 INVALID_SIGNATURE',
    )
  })

  it('is enough for a 200 to what is no JSON (W9)', async () => {
    const body = '{"id":'
    const headers = { 'Stripe-Signature': signatureOf(app, body) }
    expect(outcome(await postBytes(app, body, headers))).toBe('200')
  })

  const thin = { object: 'v2.core.event', created: '2026-01-02T03:04:05.678Z', data: undefined }
  it.each([
    ['a thin event', { ...thin, type: 'v1.customer.subscription.updated', livemode: false }],
    ['the ping of an event destination', { ...thin, type: 'v2.core.event_destination.ping' }],
    ['a thin event with the type of a snapshot', thin],
    ['an event without a time', { created: undefined }],
    ['an event of an impossible time', { created: 1e300 }],
    ['an event of before our era', { created: -1e12 }],
    ['an event without a type', { type: undefined }],
    ['an event about null', { data: { object: null } }],
    ['an event without data', { data: null }],
    ['an event of a mode that is null', { livemode: null }],
    ['an event with a long customer', { data: { object: { customer: 'c'.repeat(5_000) } } }],
    ['a closed checkout about null', { type: 'checkout.session.expired', data: { object: null } }],
    ['a refund about text', { type: 'charge.refunded', data: { object: 'ch_1' } }],
    ['a deleted customer about null', { type: 'customer.deleted', data: { object: null } }],
  ])('has %s stored without effect (W9)', async (_, difference) => {
    const event = anEvent(difference)
    expect(outcome(await postEvent(app, event))).toBe('200')
    expect(await keptEvents(app, event.id)).toEqual([
      expect.objectContaining({ effect: 'none', createdAt: expect.any(Date) }),
    ])
  })

  it.each<[string, Record<string, string | string[]>]>([
    ['missing', {}],
    ['empty', { 'Stripe-Signature': '' }],
    ['nonsense', { 'Stripe-Signature': 't=now,v1=0000' }],
    ['sent twice', { 'Stripe-Signature': ['t=1,v1=00', 't=1,v1=00'] }],
  ])('is refused when %s', async (_, headers) => {
    expect(outcome(await postBytes(app, JSON.stringify(anEvent()), headers))).toBe('400 INVALID_SIGNATURE')
  })

  it.each([
    ['malformed', '{"id":'],
    ['of very many parts', `[${Array(340_000).fill('[]').join()}]`],
  ])('is refused before a body is read that is %s', async (_, body) => {
    const headers = { 'Stripe-Signature': 't=1,v1=00' }
    expect(outcome(await postBytes(app, body, headers))).toBe('400 INVALID_SIGNATURE')
  })

  it('covers the exact bytes: one space more and it is refused', async () => {
    const body = JSON.stringify(anEvent())
    const headers = { 'Stripe-Signature': signatureOf(app, body, {}) }
    expect(outcome(await postBytes(app, `${body} `, headers))).toBe('400 INVALID_SIGNATURE')
    expect(outcome(await postBytes(app, body, headers))).toBe('200')
  })
})
