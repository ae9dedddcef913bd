import { describe, expect, it } from '@jest/globals'
import { planItem, stateOf } from '../../../src/billing/subscription/subscription-rules.js'
import { permissionsOf } from '../../../src/permissions/permissions.js'
import { PlansFile } from '../../../src/permissions/plans-file.js'
import { aPlansFile, PLANS } from '../../http/support/paying.js'

const stripe = {
  secretKey: '',
  webhookSecrets: [''],
  apiUrl: null,
  priceIds: ['price_monthly', 'price_yearly'],
}

async function plansOf(content: unknown, paymentGraceSeconds = 60): Promise<PlansFile> {
  const { path, remove } = await aPlansFile(content)
  try {
    return PlansFile.read({ plansFile: path, stripe, paymentGraceSeconds })
  } finally {
    await remove()
  }
}

describe('the plans file', () => {
  it('says what each price gives; paying and leaving is always possible', async () => {
    const plans = await plansOf(PLANS)
    expect(plans.withoutPlan).toEqual(permissionsOf(['payments', 'accountSettings', 'teamManagement']))
    expect(plans.of('price_yearly')).toMatchObject({ name: 'Team', seats: true })
    expect(plans.of('price_monthly')).toMatchObject({ name: 'Basic', seats: false })
    expect(plans.of('price_monthly')?.entitled).toEqual(
      permissionsOf(['payments', 'accountSettings', 'teamManagement', 'dataEntry']),
    )
    expect([plans.knows('price_monthly'), plans.knows('price_of_long_ago')]).toEqual([true, false])
  })

  it('that is another has another version, as has another grace period', async () => {
    const versions = [
      await plansOf(PLANS),
      await plansOf({ ...PLANS, withoutPlan: [] }),
      await plansOf(PLANS, 61),
    ].map(({ version }) => version)
    expect(new Set(versions).size).toBe(3)
    expect((await plansOf(PLANS)).version).toBe(versions[0])
  })

  it('is optional: without one nothing is limited', () => {
    const plans = PlansFile.read({ plansFile: null, stripe, paymentGraceSeconds: 60 })
    expect([plans.withoutPlan, plans.of('price_monthly'), plans.version]).toEqual([null, null, null])
    expect([plans.knows('price_monthly'), plans.knows('price_of_an_add_on')]).toEqual([true, false])
  })

  it.each([
    ['no JSON', '{', 'is not JSON'],
    [
      'a price in no plan',
      { ...PLANS, plans: PLANS.plans.slice(1) },
      'no plan has the price price_monthly, which is in STRIPE_PRICE_IDS',
    ],
    ['a price in two plans', { ...PLANS, plans: [...PLANS.plans, PLANS.plans[0]] }, 'is in two plans'],
    ['an unknown permission', { ...PLANS, withoutPlan: ['everything'] }, 'withoutPlan must be a list of'],
    ['a mistyped field', { ...PLANS, withoutPlans: [] }, 'withoutPlans is an unknown field'],
    ['no list', { withoutPlan: [], plans: {} }, 'plans must be a list'],
    ['a null', null, 'plans must be a list'],
  ])('with %s stops the start', async (_, content, fault) => {
    await expect(plansOf(content)).rejects.toThrow(fault)
  })

  it('that is named and not there stops the start', () => {
    const settings = { plansFile: '/nowhere/plans.json', stripe, paymentGraceSeconds: 60 }
    expect(() => PlansFile.read(settings)).toThrow('cannot be read')
  })
})

describe('the state', () => {
  const now = new Date('2026-01-02T00:00:00Z')
  it.each([
    ['past_due', '2026-01-02T00:00:01Z', 'past_due'],
    ['past_due', '2026-01-02T00:00:00Z', 'restricted'],
    ['unpaid', '2026-01-03T00:00:00Z', 'past_due'],
    ['unpaid', null, 'restricted'],
    ['active', null, 'active'],
    ['paused', null, 'restricted'],
  ] as const)('of %s with grace until %s is %s', (status, until, state) => {
    expect(stateOf({ status, graceUntil: until, isPaymentPending: false }, now)).toBe(state)
  })
})

describe('billing 1: the state of a subscription whose first payment', () => {
  it.each([
    ['is on its way is pending', true, 'pending'],
    ['has failed is none', false, 'none'],
  ] as const)('%s', (_, isPaymentPending, state) => {
    expect(stateOf({ status: 'incomplete', graceUntil: null, isPaymentPending }, new Date())).toBe(state)
  })
})

describe('billing 6: the item that is the plan', () => {
  const plans = { knows: (price: string) => price.startsWith('price_of_a_plan') }
  it.each([
    [['price_addon', 'price_of_a_plan_1'], null, 'price_of_a_plan_1'],
    [['price_of_a_plan_2', 'price_of_a_plan_1'], 'price_of_a_plan_1', 'price_of_a_plan_2'],
    [['price_addon', 'price_removed'], 'price_removed', 'price_removed'],
    [['price_addon', 'price_other'], 'price_removed', 'price_addon'],
    [[], 'price_removed', null],
  ] as const)('of %j after %s is %s', (prices, before, expected) => {
    const data = prices.map(id => ({ price: { id } }))
    const found = planItem({ items: { data } } as never, plans, before)
    expect(found?.price.id ?? null).toBe(expected)
  })
})
