import { describe, expect, it } from '@jest/globals'
import type Stripe from 'stripe'
import {
  currentSubscription,
  ENDED_STATUSES,
  endsInLaterPeriod,
  isLive,
  isPaidFor,
  isPaymentPending,
  knownSubscription,
  nextChangeOf,
  pastDueSince,
  SUBSCRIPTION_STATES,
  type SubscriptionRow,
  stateOf,
  viewOf,
} from '../../sources.js'

const NOW = new Date('2026-01-02T00:00:00.000Z')
const BEFORE = new Date('2026-01-01T00:00:00.000Z')
const AFTER = new Date('2027-01-01T00:00:00.000Z')
const END = new Date('2026-02-01T00:00:00.000Z')
const GRACE_SECONDS = 3_600
const BASIC = { name: 'Basic', names: { de: 'Basis' } }

const row = (overrides: Partial<SubscriptionRow> = {}) =>
  ({
    providerId: 'sub_1',
    status: 'active',
    priceId: 'price_1',
    quantity: 3,
    currentPeriodEnd: END,
    cancelAtPeriodEnd: false,
    endsAt: null,
    pastDueSince: null,
    firstPayment: null,
    confirmUrl: null,
    ...overrides,
  }) as SubscriptionRow

const subscription = (id: string, status: string) => ({ id, status }) as Stripe.Subscription

describe('a status of the provider', () => {
  it.each([
    ['none', false, false, 'none'],
    ['incomplete', false, false, 'pending'],
    ['incomplete_expired', false, true, 'none'],
    ['trialing', true, false, 'trialing'],
    ['active', true, false, 'active'],
    ['past_due', true, false, 'restricted'],
    ['unpaid', true, false, 'restricted'],
    ['paused', true, false, 'restricted'],
    ['canceled', false, true, 'canceled'],
  ] as const)('%s: bills %s, has ended %s, is %s', (status, bills, hasEnded, state) => {
    expect(isLive(status)).toBe(bills)
    expect(ENDED_STATUSES.includes(status)).toBe(hasEnded)
    expect(stateOf({ status, firstPayment: 'processing', graceUntil: null }, NOW)).toBe(state)
  })

  it.each([
    ['incomplete', 'processing', true],
    ['incomplete', 'unconfirmed', false],
    ['incomplete', 'failed', false],
    ['active', null, false],
  ] as const)('%s, first payment %s: is on its way %s', (status, firstPayment, isPending) => {
    expect(isPaymentPending({ status, firstPayment })).toBe(isPending)
  })

  it('is paid for where the account has its plan', () => {
    expect(SUBSCRIPTION_STATES.filter(isPaidFor)).toEqual(['trialing', 'active', 'past_due'])
    expect(SUBSCRIPTION_STATES).toEqual([
      ...['none', 'pending', 'unconfirmed', 'trialing', 'active', 'past_due', 'restricted', 'canceled'],
    ])
  })
})

describe('what is known of a subscription', () => {
  it('without one', () => {
    expect(knownSubscription(null, GRACE_SECONDS)).toEqual({
      status: 'none',
      plan: null,
      quantity: null,
      currentPeriodEnd: null,
      cancelAtPeriodEnd: false,
      endsAt: null,
      graceUntil: null,
      firstPayment: null,
      confirmUrl: null,
    })
  })

  it('with one, in times of everybody', () => {
    const ending = row({ cancelAtPeriodEnd: true, endsAt: END, pastDueSince: BEFORE })
    expect(knownSubscription(ending, GRACE_SECONDS)).toEqual({
      status: 'active',
      plan: 'price_1',
      quantity: 3,
      currentPeriodEnd: END.toISOString(),
      cancelAtPeriodEnd: true,
      endsAt: END.toISOString(),
      graceUntil: '2026-01-01T01:00:00.000Z',
      firstPayment: null,
      confirmUrl: null,
    })
    expect(knownSubscription(row(), GRACE_SECONDS).graceUntil).toBeNull()
    // The provider has no item of it.
    const withoutPlan = row({ priceId: null, quantity: null, currentPeriodEnd: null })
    expect(knownSubscription(withoutPlan, GRACE_SECONDS)).toMatchObject({
      plan: null,
      currentPeriodEnd: null,
    })
    const unconfirmed = { firstPayment: 'unconfirmed', confirmUrl: 'https://pay.example/1' } as const
    expect(knownSubscription(row(unconfirmed), GRACE_SECONDS)).toMatchObject(unconfirmed)
  })

  it.each([
    ['active', null, END.toISOString()],
    ['trialing', null, END.toISOString()],
    ['active', END, null],
    ['trialing', END, null],
    ['active', BEFORE, null],
    ['active', AFTER, END.toISOString()],
    ['past_due', null, null],
    ['canceled', null, null],
  ] as const)('%s, ending at %s, renews at %s', (status, endsAt, renewsAt) => {
    const view = viewOf(knownSubscription(row({ status, endsAt }), GRACE_SECONDS), BASIC, NOW)
    expect(view).toMatchObject({ planName: 'Basic', planNames: { de: 'Basis' }, renewsAt, plan: 'price_1' })
    expect(view).not.toHaveProperty('firstPayment')
  })

  it('has no name while neither we nor the provider have one', () => {
    const view = viewOf(knownSubscription(row(), GRACE_SECONDS), null, NOW)
    expect(view).toMatchObject({ planName: null, planNames: {} })
  })

  it.each([
    [END, END, false],
    [AFTER, END, true],
    [BEFORE, END, false],
    [null, END, false],
    [AFTER, null, false],
  ])(
    'that ends at %s, after a period until %s: has another one by then? %s',
    (endsAt, currentPeriodEnd, has) => {
      expect(endsInLaterPeriod({ endsAt, currentPeriodEnd })).toBe(has)
    },
  )

  it('changes by itself at the end of the grace period, and not otherwise', () => {
    const dueSince = (pastDueSince: Date | null) =>
      nextChangeOf(knownSubscription(row({ status: 'past_due', pastDueSince }), GRACE_SECONDS), NOW)
    expect(dueSince(NOW)).toEqual(new Date('2026-01-02T01:00:00.000Z'))
    expect(dueSince(new Date(NOW.getTime() - GRACE_SECONDS * 1_000))).toBeNull()
    expect(dueSince(null)).toBeNull()
    const ended = knownSubscription(row({ status: 'canceled', pastDueSince: NOW }), GRACE_SECONDS)
    expect(nextChangeOf(ended, NOW)).toBeNull()
  })
})

describe('a payment is due', () => {
  it.each([
    ['for the first time', null, 'past_due', NOW],
    ['and was not before', row(), 'past_due', NOW],
    ['since before, whatever was tried', row({ pastDueSince: BEFORE }), 'past_due', BEFORE],
    ['since before, and the provider has given up', row({ pastDueSince: BEFORE }), 'unpaid', BEFORE],
    ['for another subscription', row({ providerId: 'sub_0', pastDueSince: BEFORE }), 'past_due', NOW],
    ['no more', row({ pastDueSince: BEFORE }), 'active', null],
    ['never, for what has ended', row({ pastDueSince: BEFORE }), 'canceled', null],
  ] as const)('%s', (_, before, status, since) => {
    expect(pastDueSince(before, subscription('sub_1', status), false, NOW)).toEqual(since)
  })

  it.each([
    ['still, while another invoice is due', row({ pastDueSince: BEFORE }), 'active', BEFORE],
    ['not since an earlier subscription', row({ providerId: 'sub_0', pastDueSince: BEFORE }), 'active', null],
    ['never, where none was due', row(), 'active', null],
    ['never, for what has ended', row({ pastDueSince: BEFORE }), 'canceled', null],
  ] as const)('%s', (_, before, status, since) => {
    expect(pastDueSince(before, subscription('sub_1', status), true, NOW)).toEqual(since)
  })

  it('makes an active subscription past due, and then restricted', () => {
    const stateUntil = (graceUntil: Date) =>
      stateOf({ status: 'active', firstPayment: null, graceUntil: graceUntil.toISOString() }, NOW)
    expect([stateUntil(AFTER), stateUntil(BEFORE)]).toEqual(['past_due', 'restricted'])
  })
})

describe('of several subscriptions, newest first, the one that counts', () => {
  const a = subscription('a', 'active')
  const b = subscription('b', 'past_due')
  const waiting = subscription('waiting', 'incomplete')
  const ended = subscription('ended', 'canceled')
  const expired = subscription('expired', 'incomplete_expired')
  it.each<[string, Stripe.Subscription[], string | null, Stripe.Subscription | null, Stripe.Subscription[]]>([
    ['is the known one while it bills', [a, b], 'b', b, [a]],
    ['is the newest that bills', [ended, a, b], 'ended', a, [b]],
    ['is one that bills before one that may', [waiting, a], 'waiting', a, []],
    ['is one that may be paid before a known one that has ended', [ended, waiting], 'ended', waiting, []],
    ['is the known one among those that have ended', [expired, ended], 'ended', ended, []],
    ['is the newest of those', [expired, ended], null, expired, []],
    ['is none', [], 'a', null, []],
  ])('%s', (_, all, knownId, current, surplus) => {
    expect(currentSubscription(all, knownId)).toEqual({ current, surplus })
  })
})
