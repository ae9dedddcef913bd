import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { saw } from '../../faults/reliability/saw.js'
import type { PaymentSandbox } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, signIn } from '../../support/people.js'
import { TestApp } from '../../support/test-app.js'
import { outcome, readData, refreshByCookie, subscribe } from '../support/api-calls.js'
import { claimsOf } from '../support/token-claims.js'

describe('POST /api/subscription/create', () => {
  let app: TestApp
  beforeEach(async () => {
    app = await TestApp.start()
  })
  afterEach(() => app.stop())

  it.each<[NonNullable<PaymentSandbox['fault']>, string]>([
    ['refuse', '503 PAYMENT_PROVIDER_UNAVAILABLE'],
    ['answer-then-reset', '503 PAYMENT_PROVIDER_UNAVAILABLE'],
    ['hang', '503 PAYMENT_PROVIDER_UNAVAILABLE'],
    ['error-500', '502 PAYMENT_PROVIDER_FAILED'],
    ['rate-limit', '503 PAYMENT_PROVIDER_UNAVAILABLE'],
  ])(
    'with a provider that does "%s" says so, keeps nobody else waiting, and later opens one checkout',
    async (fault, answer) => {
      const owner = await anOwner(app)
      const payer = await signIn(app, owner, 'main')
      app.sandbox.fault = fault
      const startedAt = performance.now()
      let isRefused = false
      const clicked = subscribe(app, payer, {}, 20_000).finally(() => {
        isRefused = true
      })
      const meanwhile = [
        await signIn(app, owner, 'satellite').then(({ answer: login }) => login),
        await refreshByCookie(app, payer.sessionId),
        await readData(app, payer.accessToken),
      ]
      const wasRefused = isRefused
      const refused = await clicked
      const seconds = (performance.now() - startedAt) / 1000
      app.sandbox.fault = null

      expect(meanwhile.map(outcome)).toEqual(['200', '200', '200'])
      if (fault === 'hang') expect(wasRefused).toBe(false)
      expect(outcome(refused)).toBe(answer)
      expect(refused.headers['retry-after']).toMatch(/^[2-5]$/)

      await eventually(async () => outcome(await subscribe(app, payer)) === '201', {
        what: 'the provider to have done with what it was asked before',
      })
      const { accountId } = claimsOf(payer.accessToken)
      expect(app.sandbox.checkouts().map(({ client_reference_id }) => client_reference_id)).toEqual([
        accountId,
      ])
      expect(app.sandbox.customers()).toHaveLength(1)
      saw('provider-fails', { answeredMs: seconds * 1000, lost: app.sandbox.checkouts().length - 1 })
    },
  )
})
