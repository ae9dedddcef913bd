import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import pg from 'pg'
import { anOwner, signIn } from '../../support/people.js'
import { TestApp } from '../../support/test-app.js'
import { onServers } from '../../support/tiers.js'
import { outcome, subscribe } from '../support/api-calls.js'
import { claimsOf } from '../support/token-claims.js'
import { untilWaiting } from '../support/waiting-statements.js'

describe('POST /api/subscription/create, while the payment of the open page is being recorded', () => {
  let app: TestApp
  let database: pg.Client
  beforeAll(async () => {
    app = await TestApp.start()
    database = new pg.Client({ connectionString: app.settings.databaseUrl })
    await database.connect()
  })
  afterAll(async () => {
    await database.end()
    await app.stop()
  })

  onServers.each(['price_monthly', 'price_yearly'])(
    'does not open a second page to pay: %s',
    async priceId => {
      const payer = await signIn(app, await anOwner(app), 'main')
      const { accountId } = claimsOf(payer.accessToken)
      await subscribe(app, payer)
      const before = app.sandbox.checkouts().length
      await database.query('begin')
      await database.query('update checkouts set is_open = false where account_id = $1', [accountId])
      await database.query(
        `insert into subscriptions (account_id, provider_id, status, price_id, cancel_at_period_end, seen_at)
       values ($1, $2, 'active', 'price_monthly', false, now())`,
        [accountId, `sub_of_${priceId}`],
      )
      const click = subscribe(app, payer, { priceId })
      await untilWaiting(app)
      await database.query('commit')
      expect(outcome(await click)).toBe('409 ALREADY_SUBSCRIBED')
      expect(app.sandbox.checkouts()).toHaveLength(before)
    },
  )
})
