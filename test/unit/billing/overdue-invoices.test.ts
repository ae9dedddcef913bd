import { describe, expect, it } from '@jest/globals'
import type Stripe from 'stripe'
import { isAnyDue } from '../../sources.js'

const [JANUARY, FEBRUARY] = [1_767_225_600, 1_769_904_000]

function invoice(values: Partial<Stripe.Invoice>): Stripe.Invoice {
  return {
    ...{
      status: 'open',
      attempted: true,
      billing_reason: 'subscription_cycle',
      total: 1_000,
      created: JANUARY,
    },
    ...values,
  } as Stripe.Invoice
}

const DUE = invoice({})
const RENEWED = invoice({ status: 'paid', created: FEBRUARY })

describe('an invoice is due', () => {
  it.each<[string, Stripe.Invoice[], boolean]>([
    ['that the provider has tried to collect', [DUE], true],
    ['not before it has tried', [invoice({ attempted: false })], false],
    ['not once it is paid', [invoice({ status: 'paid' })], false],
    ['not once it is void', [invoice({ status: 'void' })], false],
    ['not once a later renewal is paid', [RENEWED, DUE], false],
    [
      'after an earlier renewal was paid',
      [invoice({ created: FEBRUARY }), { ...RENEWED, created: JANUARY }],
      true,
    ],
    [
      'also once a change of plan is paid',
      [{ ...RENEWED, billing_reason: 'subscription_update' }, DUE],
      true,
    ],
    ['also once a renewal was paid by a credit', [{ ...RENEWED, total: 0 }, DUE], true],
  ])('%s', (_, invoices, isDue) => {
    expect(isAnyDue(invoices)).toBe(isDue)
  })
})
