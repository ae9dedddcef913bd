import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from '@jest/globals'
import { aPlansFile, PLANS } from '../../http/support/paying.js'
import { PlansFile, permissionsOf, planItem, type SettingsError, stateOf } from '../../sources.js'

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
    expect(plans.of('price_monthly')).toMatchObject({
      name: 'Basic',
      names: { de: 'Basis' },
      features: ['Data entry'],
      translatedFeatures: { de: ['Dateneingabe'] },
      seats: false,
    })
    expect(plans.of('price_yearly')).toMatchObject({ names: {}, features: [], translatedFeatures: {} })
    expect(plans.of('price_monthly')?.entitled).toEqual(
      permissionsOf(['payments', 'accountSettings', 'teamManagement', 'dataEntry']),
    )
    expect([plans.knows('price_monthly'), plans.knows('price_of_long_ago')]).toEqual([true, false])
  })

  it('says how many satellites and people each plan allows, and none; without a word any number', async () => {
    const [basic, team] = PLANS.plans
    const plans = await plansOf({
      ...PLANS,
      limitsWithoutPlan: { satellites: 0 },
      plans: [{ ...basic, limits: { satellites: 5, seats: 20 } }, team],
    })
    expect(plans.limitsOf('price_monthly')).toEqual({ satellites: 5, seats: 20 })
    expect(plans.limitsOf(null)).toEqual({ satellites: 0, seats: null })
    expect([plans.limitsOf('price_yearly'), plans.limitsOf('price_of_long_ago')]).toEqual([null, null])
    expect((await plansOf(PLANS)).limitsOf(null)).toBeNull()
  })

  it.each([{ seats: 0 }, { satellites: -1 }, { seats: 2.5 }, { seats: '3' }, { users: 3 }, [], 5, null])(
    'cannot limit a plan to %j',
    async limits => {
      const [basic, team] = PLANS.plans
      await expect(plansOf({ ...PLANS, plans: [{ ...basic, limits }, team] })).rejects.toMatchObject({
        message: expect.stringMatching(/limits of Basic|users is an unknown field/),
      })
    },
  )

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

  it('knows whether any plan is billed by users, whichever it is', async () => {
    const [basic, team] = PLANS.plans
    const both = ['price_monthly', 'price_yearly']
    expect((await plansOf(PLANS)).haveSeats).toBe(true)
    expect((await plansOf({ withoutPlan: [], plans: [team, basic] })).haveSeats).toBe(true)
    expect((await plansOf({ withoutPlan: [], plans: [{ ...basic, prices: both }] })).haveSeats).toBe(false)
  })

  it('has no plan for what is not bought and for prices of long ago', async () => {
    const plans = await plansOf(PLANS)
    expect([plans.of(null), plans.of('price_of_long_ago')]).toEqual([null, null])
  })

  it('knows a price of a plan that is no longer on sale, whose accounts go on paying', async () => {
    const [basic, team] = PLANS.plans
    const plans = await plansOf({
      withoutPlan: [],
      plans: [team, { ...basic, prices: ['price_monthly', 'price_of_last_year'] }],
    })
    expect(plans.knows('price_of_last_year')).toBe(true)
    expect(plans.of('price_of_last_year')?.name).toBe('Basic')
  })

  it('has a short version, which stands in every row of entitlements', async () => {
    expect((await plansOf(PLANS)).version).toMatch(/^[0-9a-f]{16}$/)
  })

  const [aPlan] = PLANS.plans
  /** Beside the plans that are right. */
  const withPlan = (plan: unknown) => ({ ...PLANS, plans: [...PLANS.plans, plan] })
  it.each([
    [[], 'plans must be a list'],
    [{ ...PLANS, withoutPlan: undefined }, 'withoutPlan must be a list of payments, accountSettings'],
    [withPlan('Basic'), 'a plan has no name'],
    [withPlan({ ...aPlan, name: '', prices: ['price_other'] }), 'a plan has no name'],
    [withPlan({ ...aPlan, name: 7, prices: ['price_other'] }), 'a plan has no name'],
    [withPlan({ ...aPlan, seats: 'yes', prices: ['price_other'] }), 'seats of Basic must be true or false'],
    [
      withPlan({ ...aPlan, names: 'Basis', prices: ['price_other'] }),
      'names of Basic must have a name by language',
    ],
    [withPlan({ ...aPlan, names: { de_DE: 'Basis' }, prices: ['price_other'] }), 'names of Basic must have'],
    [withPlan({ ...aPlan, names: { de: '' }, prices: ['price_other'] }), 'names of Basic must have'],
    [withPlan({ ...aPlan, names: { de: 7 }, prices: ['price_other'] }), 'names of Basic must have'],
    [withPlan({ ...aPlan, features: 'Reports' }), 'features of Basic must be a list of texts'],
    [withPlan({ ...aPlan, features: ['Reports', ''] }), 'features of Basic must be a list of texts'],
    [withPlan({ ...aPlan, translatedFeatures: { de: 'Berichte' } }), 'translatedFeatures of Basic must have'],
    [withPlan({ ...aPlan, features: ['Reports', 7] }), 'features of Basic must be a list of texts'],
    [withPlan({ ...aPlan, translatedFeatures: { de: [] } }), 'translatedFeatures of Basic must have'],
    [withPlan({ ...aPlan, translatedFeatures: { 'a b': [] } }), 'translatedFeatures of Basic must have'],
    [withPlan({ ...aPlan, prices: [] }), 'prices of Basic must be a list of at least one'],
    [withPlan({ ...aPlan, prices: 'price_other' }), 'prices of Basic must be a list of at least one'],
    [withPlan({ ...aPlan, prices: ['prod_other'] }), 'prod_other of Basic is not a price id'],
    [withPlan({ ...aPlan, prices: ['not_price_'] }), 'not_price_ of Basic is not a price id'],
    [withPlan({ ...aPlan, prices: [7] }), '7 of Basic is not a price id'],
    [withPlan({ ...aPlan, prices: ['price_other'], seat: true }), 'seat is an unknown field'],
    [
      withPlan({ ...aPlan, prices: ['price_other'], entitlements: undefined }),
      'entitlements of Basic must be a list of payments, accountSettings',
    ],
    [
      withPlan({ ...aPlan, prices: ['price_other'], entitlements: ['dataEntry', 'everything'] }),
      'entitlements of Basic must be a list of payments, accountSettings',
    ],
  ])('%j stops the start, with that alone said', async (content, fault) => {
    const said = await plansOf(content).then(
      () => [] as const,
      error => (error as SettingsError).faults,
    )
    expect(said.filter(text => text.includes(fault))).toHaveLength(1)
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

  it('may begin with a byte order mark, which changes nothing (W14)', async () => {
    const { path, remove } = await aPlansFile(PLANS)
    try {
      const read = () => PlansFile.read({ plansFile: path, stripe, paymentGraceSeconds: 60 })
      const { version } = read()
      await writeFile(path, `\ufeff${await readFile(path, 'utf8')}`)
      expect(read().version).toBe(version)
    } finally {
      await remove()
    }
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
    expect(stateOf({ status, graceUntil: until, firstPayment: null }, now)).toBe(state)
  })
})

describe('billing 1: the state of a subscription whose first payment', () => {
  it.each([
    ['is on its way is pending', 'processing', 'pending'],
    ['the bank wants to be confirmed is unconfirmed', 'unconfirmed', 'unconfirmed'],
    ['has failed is none', 'failed', 'none'],
  ] as const)('%s', (_, firstPayment, state) => {
    expect(stateOf({ status: 'incomplete', graceUntil: null, firstPayment }, new Date())).toBe(state)
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
