import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  AccountAdmins,
  ApiError,
  Logger,
  Mailer,
  MailLanguage,
  type Permission,
  permissionsOf,
  subscriptions,
  type User,
  UserAdministration,
} from '../../sources.js'
import { aMember, anOwner, aSignedInOwner, importMembers, sendLogin, signIn } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome, refreshByCookie, subscribe } from '../support/api-calls.js'
import {
  aLeavingOwner,
  ask,
  deleteAt,
  keep,
  pay,
  rowsOf,
  run,
  subjectsTo,
  toProvidersTime,
} from '../support/leaving-accounts.js'
import {
  aProvenOwner,
  onMainSite,
  provenSession,
  reauthenticate,
  STEP_UP_CHALLENGE,
} from '../support/reauthenticate.js'
import { openCheckout, withoutWebhooks } from '../support/subscriber.js'
import { aMemberWith } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'
import { transferAccount } from '../support/transfer-calls.js'

const GRACE = 14 * 24 * 60 * 60
const CLOSING = '409 ACCOUNT_CLOSING'

describe('The end of an account', () => {
  const app = anApp()
  beforeEach(() => toProvidersTime(app))
  afterEach(() => {
    jest.restoreAllMocks()
  })

  describe('asked for', () => {
    it('is announced for the end of the reflection period, and all works until then', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const session = await provenSession(app, owner)
      const before = app.clock.now().getTime()
      const answer = await ask(app, session)
      expect([outcome(answer), Object.keys(answer.json)]).toEqual(['200', ['deleteAt']])
      const at = new Date(answer.json.deleteAt).getTime() - GRACE * 1000
      expect(at).toBeGreaterThanOrEqual(before)
      expect(at).toBeLessThanOrEqual(app.clock.now().getTime())
      expect((await onMainSite(app, session, 'GET', '/api/account')).json.deleteAt).toBe(answer.json.deleteAt)
      await signIn(app, member, 'satellite')
      expect(outcome(await refreshByCookie(app, session.sessionId))).toBe('200')
    })

    it('keeps the first date when asked for again, and tells nobody a second time', async () => {
      const { owner, session } = await aLeavingOwner(app)
      const first = await deleteAt(app, owner)
      app.clock.advance(60)
      const again = await ask(app, session)
      expect([outcome(again), again.json.deleteAt]).toEqual(['200', first?.toISOString()])
      expect(await subjectsTo(app, owner)).toHaveLength(1)
      expect(await rowsOf(app, owner, 'account.delete')).toHaveLength(1)
    })

    it('is cancelled when an operator disables the owner, who could not cancel it', async () => {
      const { owner } = await aLeavingOwner(app)
      await app.get(UserAdministration).disable(owner)
      expect(await deleteAt(app, owner)).toBeNull()
      const [row, ...others] = await rowsOf(app, owner, 'account.delete.cancel')
      expect([row?.detail, others]).toEqual([{ reason: 'disabled' }, []])
      const mail = (await app.mailsTo(owner.email)).at(-1)
      expect(mail?.subject).toMatch(/will not be deleted$/)
      expect(mail?.text).toContain(`\nGo to Mainstay:\n${MAIN}/\n`)
    })

    it('is cancelled when the owner reports a login, and the administrators are told', async () => {
      const { owner } = await aLeavingOwner(app)
      const admin = await aMemberWith(app, owner, 'accountSettings')
      await sendLogin(app, owner, { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0' })
      const body = { token: await app.mailedToken(owner.email, '/not-me') }
      const report = { method: 'POST', path: '/api/sessions/not-me', headers: { Origin: MAIN }, body }
      expect(outcome(await app.request(report))).toBe('204')
      expect(await deleteAt(app, owner)).toBeNull()
      expect(await subjectsTo(app, admin)).toEqual([expect.stringMatching(/will not be deleted$/)])
    })

    it('is withdrawn when the administrators cannot be told', async () => {
      const owner = await aProvenOwner(app)
      jest.spyOn(app.get(AccountAdmins), 'notice').mockRejectedValueOnce(new Error('no connection'))
      expect(outcome(await ask(app, owner))).toBe('500 INTERNAL_ERROR')
      expect(await deleteAt(app, owner)).toBeNull()
    })

    it('stays when a member is disabled', async () => {
      const { owner } = await aLeavingOwner(app)
      await app.get(UserAdministration).disable(await aMember(app, owner))
      expect(await deleteAt(app, owner)).toBeInstanceOf(Date)
    })

    it('is in the audit log, and so is that the account stays', async () => {
      const { owner, session } = await aLeavingOwner(app)
      const at = (await deleteAt(app, owner))?.toISOString()
      expect(outcome(await keep(app, session))).toBe('204')
      const { sid } = claimsOf(session.accessToken)
      const byOwner = { outcome: 'ok', userId: owner.id, sid, origin: MAIN }
      expect(await rowsOf(app, owner, 'account.delete', 'account.delete.cancel')).toEqual([
        expect.objectContaining({
          ...byOwner,
          action: 'account.delete',
          detail: { step: 'asked', deleteAt: at },
        }),
        expect.objectContaining({ ...byOwner, action: 'account.delete.cancel' }),
      ])
    })

    it('is told to those who administer the account and nobody else, like its cancellation', async () => {
      const owner = await anOwner(app)
      const admin = await aMemberWith(app, owner, 'accountSettings')
      const disabled = await aMemberWith(app, owner, 'accountSettings')
      await app.get(UserAdministration).disable(disabled)
      const plain = await aMemberWith(app, owner, 'payments', 'teamManagement')
      const stranger = await anOwner(app)
      const session = await provenSession(app, owner)
      const { json } = await ask(app, session)
      await keep(app, session)
      for (const person of [owner, admin])
        expect(await subjectsTo(app, person)).toEqual([
          expect.stringContaining('will be deleted'),
          expect.stringMatching(/^Your account at .* will not be deleted$/),
        ])
      const [mail] = await app.mailsTo(admin.email)
      expect(mail?.text).toContain(`${MailLanguage.of('en').day(new Date(json.deleteAt))} (UTC)`)
      for (const person of [disabled, plain, stranger]) expect(await subjectsTo(app, person)).toEqual([])
    })

    slow('is told to the owner and the first twenty other administrators, and to nobody twice', async () => {
      const administrator = permissionsOf(['accountSettings'])
      const owner = await anOwner(app)
      await importMembers(app, owner, 3)
      const first = await importMembers(app, owner, 20, administrator)
      app.clock.advance(60)
      const later = await importMembers(app, owner, 5, administrator)
      const session = await provenSession(app, owner)
      await ask(app, session)
      await app.get(Mailer).flush()
      const everybody = new Set<string>([owner, ...first, ...later].map(({ email }) => email))
      const told = app.outbox.mails.map(({ to }) => to).filter(to => everybody.has(to))
      expect(told.toSorted()).toEqual([owner, ...first].map(({ email }) => email).toSorted())
      await keep(app, session)
      for (const person of [owner, ...first]) expect(await subjectsTo(app, person)).toHaveLength(2)
    })
  })

  describe('is refused', () => {
    it('without the password, which keeping the account does not need', async () => {
      const owner = await aSignedInOwner(app)
      app.clock.advance(app.settings.reauthenticationTtlSeconds)
      const refused = await ask(app, owner)
      expect(outcome(refused)).toBe('401 REAUTHENTICATION_REQUIRED')
      expect(refused.headers['www-authenticate']).toBe(STEP_UP_CHALLENGE)
      expect(await deleteAt(app, owner)).toBeNull()
      await reauthenticate(app, owner)
      expect(outcome(await ask(app, owner))).toBe('200')
      expect(outcome(await keep(app, await signIn(app, owner, 'main')))).toBe('204')
    })

    it('to a member, whatever they may do', async () => {
      const { owner } = await aLeavingOwner(app)
      const at = await deleteAt(app, owner)
      const all: Permission[] = ['payments', 'accountSettings', 'teamManagement', 'dataEntry', 'viewReports']
      const member = await aMemberWith(app, owner, ...all)
      const session = await provenSession(app, member)
      for (const answer of [await ask(app, session), await keep(app, session)])
        expect(outcome(answer)).toBe('403 OWNER_REQUIRED')
      expect(await deleteAt(app, owner)).toEqual(at)
    })

    it('where no mail can be sent, though the account can still be kept', async () => {
      const { session } = await aLeavingOwner(app)
      const other = await aProvenOwner(app)
      jest.spyOn(app.get(Mailer), 'requireMail').mockImplementation(() => {
        throw new ApiError('MAIL_UNAVAILABLE')
      })
      expect(outcome(await ask(app, other))).toBe('503 MAIL_UNAVAILABLE')
      expect(await deleteAt(app, other)).toBeNull()
      expect(outcome(await keep(app, session))).toBe('204')
    })

    it('while the account is billed', async () => {
      const owner = await aProvenOwner(app)
      const subscription = await pay(app, await openCheckout(app, owner))
      expect(outcome(await ask(app, owner))).toBe('409 SUBSCRIPTION_LIVE')
      expect([await deleteAt(app, owner), await subjectsTo(app, owner)]).toEqual([null, []])
      await app.sandbox.simulate.cancel(subscription)
      await app.paymentsSettled()
      expect(outcome(await ask(app, owner))).toBe('200')
    })

    it('while a second subscription goes on beside a cancelled one', async () => {
      const owner = await aProvenOwner(app)
      await pay(app, await openCheckout(app, owner))
      const change = (values: Partial<typeof subscriptions.$inferInsert>) =>
        app.database.run(db =>
          db.update(subscriptions).set(values).where(eq(subscriptions.accountId, owner.accountId)),
        )
      await change({ cancelAtPeriodEnd: true, surplus: ['sub_second'] })
      expect(outcome(await ask(app, owner))).toBe('409 SUBSCRIPTION_LIVE')
      await change({ surplus: [] })
      expect(outcome(await ask(app, owner))).toBe('200')
    })

    it('to be cancelled where nobody has asked for it', async () => {
      const owner = await aSignedInOwner(app)
      expect(outcome(await keep(app, owner))).toBe('404 NOT_FOUND')
      expect(await subjectsTo(app, owner)).toEqual([])
      expect(await rowsOf(app, owner, 'account.delete.cancel')).toEqual([])
    })
  })

  describe('with a subscription for a fixed term', () => {
    async function aTerm(endsInDays: number) {
      const owner = await aProvenOwner(app)
      const subscription = await pay(app, await openCheckout(app, owner))
      const endsAt = Math.floor(app.clock.now().getTime() / 1000) + endsInDays * 24 * 60 * 60
      await app.sandbox.simulate.changeSubscription(subscription, { cancel_at: endsAt })
      await app.paymentsSettled()
      return { owner, session: owner, endsAt: new Date(endsAt * 1000) }
    }

    it('waits for the end of a term with further periods to pay, and everybody is told', async () => {
      const { owner, session, endsAt } = await aTerm(300)
      const { json } = await ask(app, session)
      expect(json).toEqual({ deleteAt: endsAt.toISOString() })
      expect(await deleteAt(app, owner)).toEqual(endsAt)
      const day = endsAt.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
      expect((await app.mailsTo(owner.email)).at(-1)?.text.replaceAll(/\s+/g, ' ')).toContain(day)
      expect((await ask(app, session)).json).toEqual(json)
    })

    it('is due after the usual days in its last period', async () => {
      const { session, endsAt } = await aTerm(20)
      const { json } = await ask(app, session)
      expect(new Date(json.deleteAt).getTime()).not.toBe(endsAt.getTime())
    })
  })

  describe('asked for, until the owner keeps it,', () => {
    function openPagesOf({ accountId }: User) {
      const pages = app.sandbox.checkouts().filter(page => page.client_reference_id === accountId)
      return pages.filter(({ status }) => status === 'open').map(({ url }) => url)
    }

    it('lets nobody begin to pay', async () => {
      const { owner, session } = await aLeavingOwner(app)
      const payer = await signIn(app, await aMemberWith(app, owner, 'payments'), 'main')
      const before = app.sandbox.requests.length
      for (const payerSession of [session, payer])
        expect(outcome(await subscribe(app, payerSession))).toBe(CLOSING)
      expect(app.sandbox.requests.slice(before)).toEqual([])
      expect(outcome(await keep(app, session))).toBe('204')
      expect(outcome(await subscribe(app, payer))).toBe('201')
    })

    it('can be cancelled by the new owner after a transfer, not by the old one', async () => {
      const { owner, session } = await aLeavingOwner(app)
      const member = await aMember(app, owner)
      await transferAccount(app, session, member)
      expect(await deleteAt(app, owner)).toBeInstanceOf(Date)
      expect(outcome(await keep(app, await signIn(app, owner, 'main')))).toBe('403 OWNER_REQUIRED')
      expect(outcome(await keep(app, await signIn(app, member, 'main')))).toBe('204')
      expect(await deleteAt(app, owner)).toBeNull()
    })

    it('hides a payment page that was open before', async () => {
      const owner = await aProvenOwner(app)
      const { json } = await subscribe(app, owner)
      await ask(app, owner)
      expect(outcome(await subscribe(app, owner))).toBe(CLOSING)
      expect(outcome(await subscribe(app, owner, { priceId: 'price_yearly' }))).toBe(CLOSING)
      await app.paymentsSettled()
      expect(openPagesOf(owner)).toEqual([])
      await keep(app, owner)
      const again = await subscribe(app, owner)
      expect(openPagesOf(owner)).toEqual([again.json.checkoutUrl])
      expect(again.json).not.toEqual(json)
    })

    slow('reports to operators, once, that somebody has paid all the same', async () => {
      const owner = await aProvenOwner(app)
      const page = await openCheckout(app, owner)
      await withoutWebhooks(app, () => app.sandbox.simulate.pay(page))
      expect(outcome(await ask(app, owner))).toBe('200')
      await app.paymentsSettled()
      const errors = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {})
      app.clock.advance(30 * 24 * 60 * 60)
      for (let runs = 0; runs < 2; runs++) await run(app)
      app.clock.advance(-30 * 24 * 60 * 60)
      const lines = errors.mock.calls.map(([line]) => `${line}`)
      expect(lines.filter(line => line.includes(owner.accountId))).toEqual([
        `Account ${owner.accountId} is due for deletion, but its subscription is active: cancel it`,
      ])
      expect(await deleteAt(app, owner)).toBeInstanceOf(Date)
    })

    it('leaves no payable page when a checkout begins at the same time', async () => {
      for (let round = 0; round < 3; round++) {
        const owner = await aProvenOwner(app)
        const [asked, checkout] = await Promise.all([ask(app, owner), subscribe(app, owner)])
        expect(outcome(asked)).toBe('200')
        // The second while the provider was creating the page.
        expect(['201', '503 TOO_BUSY', CLOSING]).toContain(outcome(checkout))
        await app.paymentsSettled()
        expect(openPagesOf(owner)).toEqual([])
      }
    })
  })
})
