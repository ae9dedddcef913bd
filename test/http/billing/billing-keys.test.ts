import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { PaymentSandbox } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { type SignedIn, signIn } from '../../support/people.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import type { Ended } from '../../support/processes/run-program.js'
import { TestApp } from '../../support/test-app.js'
import { onServers, slow, slowOnServers } from '../../support/tiers.js'
import { outcome, readSubscription, subscribe } from '../support/api-calls.js'
import { aPlansFile } from '../support/paying.js'
import { aSubscriber, type Subscriber } from '../support/subscriber.js'

const LIVE_KEY = 'sk_live_payment_sandbox'

describe('billing 5: live keys on a database that has seen test keys', () => {
  let first: TestApp
  let app: TestApp
  let live: PaymentSandbox
  let removePlans: () => Promise<void>
  let payer: Subscriber
  let owner: SignedIn

  beforeAll(async () => {
    const { path, remove } = await aPlansFile()
    removePlans = remove
    first = await TestApp.start({ PLANS_FILE: path })
    payer = await aSubscriber(first)
    await first.app.close()
    live = await PaymentSandbox.start({
      port: 0,
      secretKey: LIVE_KEY,
      webhookUrl: null,
      webhookSecret: 'whsec_payment_sandbox_only',
      priceIds: ['price_monthly', 'price_yearly'],
      livemode: true,
      accountId: 'acct_with_real_money',
    })
    app = await TestApp.start({
      PLANS_FILE: path,
      ...liveSettings(),
    })
    live.webhookUrl = `${app.url}/api/webhooks/stripe`
    owner = await signIn(app, payer.owner, 'main')
  })
  afterAll(async () => {
    await live.stop()
    await app.stop()
    await first.stop()
    await removePlans()
  })

  function liveSettings() {
    return { ...first.stores, STRIPE_API_URL: live.url, STRIPE_SECRET_KEY: LIVE_KEY }
  }

  function mainstay(...args: string[]): Promise<Ended> {
    const settings = { NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, ...liveSettings() }
    return runInProcess(args, settings)
  }

  const customers = () => app.query(sql`select customer_id, provider_account, is_live from billing_customers`)

  it('whose each customer is stands beside it', async () => {
    const { customerId } = payer
    expect(await customers()).toEqual([
      { customer_id: customerId, provider_account: 'acct_payment_sandbox', is_live: false },
    ])
  })

  slowOnServers('billing:reconcile fails and names the customers, without asking for each', async () => {
    const before = live.requests.length
    const { code, errors } = await mainstay('billing:reconcile')
    expect(code).toBe(1)
    expect(errors).toContain(`Customer ${payer.customerId} failed`)
    expect(errors).toContain('Is STRIPE_SECRET_KEY of another account or mode?')
    expect(live.requests.slice(before).filter(({ path }) => path !== '/v1/account')).toEqual([])
  })

  slowOnServers('billing:reconcile fails also where it is not recorded whose the customer is', async () => {
    const setKey = (account: string | null, isLive: boolean | null) =>
      app.query(sql`update billing_customers set provider_account = ${account}, is_live = ${isLive}`)
    await setKey(null, null)
    try {
      const { code, errors } = await mainstay('billing:reconcile')
      expect(code).toBe(1)
      expect(errors).toContain(`It does not know customer ${payer.customerId}`)
    } finally {
      await setKey('acct_payment_sandbox', false)
    }
  })

  onServers('billing:status says so', async () => {
    const { code, output, errors } = await mainstay('billing:status')
    expect(output).toContain('Payments go to acct_with_real_money, live mode')
    expect(output).toContain('1 customer of acct_payment_sandbox, test mode')
    expect(errors).toContain('customers belong to another key')
    expect(code).toBe(1)
  })

  slow(
    'billing:forget-customers lists them, ends what they had once it is told to, and they can buy',
    async () => {
      const listed = await mainstay('billing:forget-customers')
      expect(listed.output).toContain(`customer ${payer.customerId}`)
      expect(listed.output).toContain(
        'To be detached with --yes: 1 customer not found in acct_with_real_money, live mode',
      )
      expect((await readSubscription(app, owner.accessToken)).json.state).toBe('active')
      expect(await mainstay('billing:forget-customers', '--yes')).toMatchObject({ code: 0 })
      expect((await readSubscription(app, owner.accessToken)).json.state).toBe('canceled')
      const answer = await subscribe(app, owner)
      expect(outcome(answer)).toBe('201')
      await live.simulate.pay(answer.json.checkoutUrl.split('/').at(-1))
      await live.settled()
      await eventually(async () => (await readSubscription(app, owner.accessToken)).json.state === 'active')
      expect(await customers()).toEqual([
        expect.objectContaining({ provider_account: 'acct_with_real_money', is_live: true }),
      ])
      expect(live.customers()).toEqual([expect.objectContaining({ email: payer.owner.email })])
      expect((await mainstay('billing:reconcile')).code).toBe(0)
    },
  )
})
