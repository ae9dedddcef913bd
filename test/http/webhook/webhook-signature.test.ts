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
