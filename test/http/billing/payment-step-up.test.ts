import { describe, expect, it } from '@jest/globals'
import { handlersOf, PaymentStepUpGuard, PaymentsPermissionGuard } from '../../sources.js'
import { giveTotp, prove } from '../../support/factors.js'
import { aMember, type SignedIn, signIn } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { outcome, readSubscription, subscribe } from '../support/api-calls.js'
import { anEnrolledOwner, changePolicy } from '../support/policy-calls.js'
import { onMainSite, reauthenticate } from '../support/reauthenticate.js'
import { aMemberWith } from '../support/team-calls.js'

const CHALLENGE =
  'Bearer error="insufficient_user_authentication", acr_values="urn:mainstay:acr:2", max_age="120"'

describe('Payments that need a second factor', () => {
  const app = anApp()

  async function anAccount(paymentStepUpMinutes: number | null = 2) {
    const { owner, session } = await anEnrolledOwner(app)
    const body = { required: 'off', paymentStepUpMinutes }
    expect(outcome(await changePolicy(app, session, body))).toBe('200')
    return { owner, session }
  }

  const openPortal = (session: SignedIn) => onMainSite(app, session, 'POST', '/api/subscription/portal', {})

  it('are allowed to a user who has just used one', async () => {
    const { session } = await anAccount()
    expect(outcome(await subscribe(app, session))).toBe('201')
    expect(outcome(await openPortal(session))).toBe('201')
  })

  it('are refused once that is too long ago, whatever was paid before; a password does not help', async () => {
    const { session } = await anAccount()
    app.clock.advance(3 * 60)
    await reauthenticate(app, session)
    for (const answer of [await subscribe(app, session), await openPortal(session)]) {
      expect(outcome(answer)).toBe('401 STEP_UP_REQUIRED')
      expect(answer.headers['www-authenticate']).toBe(CHALLENGE)
      expect(answer.json.methods).toEqual(['totp'])
    }
    await prove(app, session, 'otp')
    expect(outcome(await subscribe(app, session))).toBe('201')
  })

  it('are refused to a session that began with a password alone, as a remembered browser begins one', async () => {
    const { owner } = await anAccount()
    const payer = await aMemberWith(app, owner, 'payments')
    const session = await signIn(app, payer, 'main')
    const without = await subscribe(app, session)
    expect([outcome(without), without.json.methods]).toEqual(['401 STEP_UP_REQUIRED', []])
    await giveTotp(app, payer)
    const remembered = await subscribe(app, session)
    expect([outcome(remembered), remembered.json.methods]).toEqual(['401 STEP_UP_REQUIRED', ['totp']])
    await prove(app, session, 'swk', 'user')
    expect(outcome(await subscribe(app, session))).toBe('201')
  })

  it('are refused for the missing permission first, and reading needs nothing', async () => {
    const { owner } = await anAccount()
    const member = await signIn(app, await aMember(app, owner), 'main')
    expect(outcome(await subscribe(app, member))).toBe('403 PAYMENTS_PERMISSION_REQUIRED')
    expect(outcome(await readSubscription(app, member.accessToken))).toBe('200')
  })

  it('need none in accounts that do not require it', async () => {
    const { owner } = await anAccount(null)
    const session = await signIn(app, await aMemberWith(app, owner, 'payments'), 'main')
    expect(outcome(await subscribe(app, session))).toBe('201')
  })

  it('include every handler that asks for the permission, except the one that reads invoices', () => {
    const asking = handlersOf(app.app).filter(({ guards }) => guards.includes(PaymentsPermissionGuard))
    const handlers = asking.filter(({ name }) => name !== 'InvoicesController.list')
    expect(handlers.length).toBe(asking.length - 1)
    expect(handlers.map(({ name }) => name).sort()).toEqual([
      'BillingController.create',
      'BillingController.openPortal',
    ])
    for (const { guards } of handlers)
      expect(guards.indexOf(PaymentStepUpGuard)).toBeGreaterThan(guards.indexOf(PaymentsPermissionGuard))
  })
})
