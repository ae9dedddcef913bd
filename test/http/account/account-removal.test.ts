import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { and, eq } from 'drizzle-orm'
import {
  AccountDeletionJob,
  accounts,
  billingCustomers,
  CheckoutService,
  checkouts,
  knownDevices,
  oneTimeTokens,
  ProviderUpdates,
  providerEvents,
  SessionStore,
  sessions,
  subscriptions,
  type User,
  UserAdministration,
  users,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { passTime } from '../../support/passing-time.js'
import {
  aMember,
  anEmail,
  anOwner,
  aSignedInMember,
  importMembers,
  PASSWORD,
  type SignedIn,
  signIn,
} from '../../support/people.js'
import { mailResetLink } from '../../support/reset-link.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome, refreshByCookie, refreshByHeader, subscribe } from '../support/api-calls.js'
import { heldCall } from '../support/held-call.js'
import {
  aLeavingOwner,
  ask,
  deleteAt,
  keep,
  pay,
  remaining,
  rowsOf,
  run,
  setGrace,
  subjectsTo,
  toProvidersTime,
} from '../support/leaving-accounts.js'
import { aProvenOwner, onMainSite, provenSession } from '../support/reauthenticate.js'
import { keptEvents, postEvent } from '../support/signed-event.js'
import { openCheckout } from '../support/subscriber.js'
import { aMemberWith, team } from '../support/team-calls.js'

const DAY = 24 * 60 * 60
const GRACE = 14 * DAY
const RUN_EVERY = 10 * 60
const ENDED = '401 SESSION_NOT_FOUND'
const CLOSING = '409 ACCOUNT_CLOSING'

describe('The removal of an account', () => {
  const app = anApp()
  beforeEach(() => toProvidersTime(app))
  afterEach(() => {
    jest.restoreAllMocks()
  })

  describe('comes', () => {
    it('happens when the reflection period is over, not before', async () => {
      const { owner } = await aLeavingOwner(app)
      app.clock.advance(GRACE - 2 * RUN_EVERY)
      await run(app)
      expect(await remaining(app, owner)).toHaveLength(1)
      await signIn(app, owner, 'main')
      app.clock.advance(RUN_EVERY)
      expect(await run(app)).toBeGreaterThanOrEqual(1)
      expect(await remaining(app, owner)).toEqual([])
      expect(await deleteAt(app, owner)).toBeUndefined()
    })

    slow('takes all users, sessions, links and what is known of devices and payments', async () => {
      const owner = await aProvenOwner(app)
      const subscription = await pay(app, await openCheckout(app, owner))
      await app.sandbox.simulate.cancel(subscription)
      await app.paymentsSettled()
      const member = await aMember(app, owner)
      expect((await team(app, owner, 'POST', '/invitations', { email: anEmail() })).status).toBeLessThan(300)
      expect(outcome(await ask(app, owner))).toBe('200')
      app.clock.advance(GRACE)
      const onMain = await signIn(app, owner, 'main')
      const atShop = await signIn(app, member, 'satellite')
      await mailResetLink(app, member)
      const bystander = await aSignedInMember(app, await anOwner(app), 'satellite')
      await run(app)

      expect(await remaining(app, owner)).toEqual([])
      expect(outcome(await refreshByCookie(app, onMain.sessionId))).toBe(ENDED)
      expect(outcome(await refreshByHeader(app, atShop.sessionId))).toBe(ENDED)
      expect(outcome(await onMainSite(app, onMain, 'GET', '/api/account'))).toBe(ENDED)
      const ids = [owner.id, member.id]
      for (const id of ids) expect(await app.get(SessionStore).listByUser(id, app.clock.now())).toEqual([])
      expect(outcome(await refreshByHeader(app, bystander.sessionId))).toBe('200')
      await expect(signIn(app, owner, 'main')).rejects.toThrow('401')
      await expect(signIn(app, member, 'satellite')).rejects.toThrow('401')
      const left = await app.database.run(async db => {
        const { accountId } = owner
        return [
          ...(await db.select().from(accounts).where(eq(accounts.id, accountId))),
          ...(await db.select().from(users).where(eq(users.accountId, accountId))),
          ...(await db.select().from(sessions).where(eq(sessions.accountId, accountId))),
          ...(await db.select().from(oneTimeTokens).where(eq(oneTimeTokens.accountId, accountId))),
          ...(await db.select().from(oneTimeTokens).where(eq(oneTimeTokens.email, member.email))),
          ...(await db.select().from(checkouts).where(eq(checkouts.accountId, accountId))),
          ...(await db.select().from(subscriptions).where(eq(subscriptions.accountId, accountId))),
          ...(await db.select().from(billingCustomers).where(eq(billingCustomers.accountId, accountId))),
          ...(await db.select().from(knownDevices).where(eq(knownDevices.userId, owner.id))),
          ...(await db.select().from(knownDevices).where(eq(knownDevices.userId, member.id))),
        ]
      })
      expect(left).toEqual([])
    })

    it('security L5: keeps no personal data of the provider’s events', async () => {
      const owner = await aProvenOwner(app)
      await app.sandbox.simulate.cancel(await pay(app, await openCheckout(app, owner)))
      await app.paymentsSettled()
      const [customer] = await app.database.run(db =>
        db.select().from(billingCustomers).where(eq(billingCustomers.accountId, owner.accountId)),
      )
      const events = () =>
        app.database.run(db =>
          db
            .select()
            .from(providerEvents)
            .where(eq(providerEvents.customerId, customer?.customerId as string))
            .orderBy(providerEvents.id),
        )
      const before = await events()
      expect(before.filter(({ event }) => event !== null).length).toBeGreaterThan(1)
      expect(outcome(await ask(app, owner))).toBe('200')
      app.clock.advance(GRACE)
      await run(app)
      expect(await events()).toEqual(
        before.map(row => {
          // Of a kind that changes nothing, kept without what it says.
          if (row.event === null) return row
          const { created, data } = row.event as {
            created: number
            data: { object: Record<string, unknown> }
          }
          const { id, object } = data.object
          const event = {
            id: row.id,
            object: 'event',
            type: row.type,
            created,
            data: { object: { id, object } },
          }
          return { ...row, event }
        }),
      )
      // The customer stays at the provider, and so do its invoices: something may still come of it.
      const late = before.find(({ type }) => type === 'customer.subscription.deleted')?.event as object
      const [customerId, note] = [customer?.customerId, 'for Erika Mustermann']
      const object = { id: 'sub_late', object: 'subscription', customer: customerId, note }
      toProvidersTime(app)
      expect(outcome(await postEvent(app, { ...late, id: 'evt_late', data: { object } }))).toBe('200')
      expect((await keptEvents(app, 'evt_late')).map(row => row.effect)).toEqual(['unknown customer'])
      expect(JSON.stringify(await events())).not.toContain(note)
    })

    it('keeps the audit log, with each user’s end and its own', async () => {
      const { owner } = await aLeavingOwner(app)
      const member = await aMember(app, owner)
      app.clock.advance(GRACE)
      await run(app)
      const rows = await rowsOf(app, owner, 'account.create', 'user.create', 'user.remove', 'account.delete')
      expect(rows.map(({ action, userId, ip }) => [action, userId, ip])).toEqual([
        ['account.create', owner.id, null],
        ['account.delete', owner.id, '127.0.0.1'],
        ['user.create', member.id, null],
        ['user.remove', owner.id, null],
        ['user.remove', member.id, null],
        ['account.delete', null, null],
      ])
      expect(rows.at(-1)).toMatchObject({ outcome: 'ok', detail: { step: 'done' } })
    })

    it('is told to the owner, once', async () => {
      const { owner } = await aLeavingOwner(app)
      const member = await aMember(app, owner)
      app.clock.advance(GRACE)
      await run(app)
      await run(app)
      expect(await subjectsTo(app, owner)).toEqual([
        expect.stringContaining('will be deleted'),
        expect.stringContaining('has been deleted'),
      ])
      expect(await subjectsTo(app, member)).toEqual([])
    })

    it('frees the e-mail addresses', async () => {
      const { owner } = await aLeavingOwner(app)
      const member = await aMember(app, owner)
      app.clock.advance(GRACE)
      await run(app)
      const creation = app.get(UserAdministration)
      const [newcomer, other] = [
        await creation.createAccount(member.email, PASSWORD),
        await creation.createAccount(owner.email, PASSWORD),
      ]
      const session = await signIn(app, newcomer, 'main')
      expect((await onMainSite(app, session, 'GET', '/api/account')).json.accountId).not.toBe(owner.accountId)
      await signIn(app, other, 'main')
    })

    slow('copes with an account with more users than a page', async () => {
      const { owner } = await aLeavingOwner(app)
      await importMembers(app, owner, 205)
      app.clock.advance(GRACE)
      await run(app)
      expect(await remaining(app, owner)).toEqual([])
      expect(await deleteAt(app, owner)).toBeUndefined()
      expect(await rowsOf(app, owner, 'user.remove')).toHaveLength(206)
    })

    it('runs on one replica at a time', async () => {
      const { owner } = await aLeavingOwner(app)
      await passTime(app, GRACE + RUN_EVERY)
      const removal = app.get(AccountDeletionJob)
      const counts = await Promise.all([removal.run(), removal.run(), removal.run()])
      expect(counts.filter(count => count === null)).toHaveLength(2)
      expect(await remaining(app, owner)).toEqual([])
      expect(await rowsOf(app, owner, 'user.remove')).toHaveLength(1)
    })

    it('is counted anew where the owner has kept the account and asked again', async () => {
      const { owner, session } = await aLeavingOwner(app)
      app.clock.advance(60)
      await keep(app, session)
      app.clock.advance(DAY)
      await ask(app, await provenSession(app, owner))
      app.clock.advance(GRACE - DAY)
      await run(app)
      expect(await remaining(app, owner)).toHaveLength(1)
      app.clock.advance(DAY)
      await run(app)
      expect(await remaining(app, owner)).toEqual([])
    })

    it('is skipped where the owner keeps the account at the last moment, when the run has begun', async () => {
      const { owner } = await aLeavingOwner(app)
      await aMember(app, owner)
      app.clock.advance(GRACE)
      const session = await signIn(app, owner, 'main')
      const held = heldCall(app.get(AccountDeletionJob), 'removeUser')
      const running = run(app)
      await held.begun
      expect(outcome(await keep(app, session))).toBe('204')
      held.release()
      expect(await running).toBe(0)
      expect(await remaining(app, owner)).toHaveLength(2)
      expect(outcome(await refreshByCookie(app, session.sessionId))).toBe('200')
      expect(await rowsOf(app, owner, 'user.remove')).toEqual([])
      expect(await subjectsTo(app, owner)).not.toContainEqual(expect.stringContaining('has been deleted'))
    })
  })

  describe('waits for money', () => {
    it('while a page can be paid, and comes when that has run out', async () => {
      const owner = await aProvenOwner(app)
      const checkoutId = await openCheckout(app, owner)
      await ask(app, owner)
      await setGrace(app, owner, 0)
      await run(app)
      expect(await remaining(app, owner)).toHaveLength(1)
      toProvidersTime(app)
      await app.sandbox.simulate.expire(checkoutId)
      await app.paymentsSettled()
      await run(app)
      expect(await remaining(app, owner)).toEqual([])
    })

    it('as long as the provider lets the page be paid, which is longer than we show it', async () => {
      const owner = await aProvenOwner(app)
      await openCheckout(app, owner)
      await ask(app, owner)
      await setGrace(app, owner, 0)
      app.clock.advance(23.5 * 60 * 60)
      await run(app)
      expect(await remaining(app, owner)).toHaveLength(1)
      app.clock.advance(2 * 60 * 60)
      await run(app)
      expect(await remaining(app, owner)).toEqual([])
    })

    slow('while an event that says it was paid has not been handled, however long that takes', async () => {
      const owner = await aProvenOwner(app)
      const checkoutId = await openCheckout(app, owner)
      await ask(app, owner)
      app.sandbox.fault = 'error-500'
      await pay(app, checkoutId)
      await setGrace(app, owner, 0)
      app.clock.advance(26 * 60 * 60)
      await run(app)
      expect(await remaining(app, owner)).toHaveLength(1)
      app.sandbox.fault = null
      toProvidersTime(app)
      await app.paymentsSettled()
      app.clock.advance(26 * 60 * 60)
      await run(app)
      expect(await remaining(app, owner)).toHaveLength(1)
    })

    slow('while an earlier page was paid, until that subscription has ended', async () => {
      const owner = await aProvenOwner(app)
      const checkoutId = await openCheckout(app, owner)
      await ask(app, owner)
      const subscription = await pay(app, checkoutId)
      await setGrace(app, owner, 0)
      await run(app)
      expect(await remaining(app, owner)).toHaveLength(1)
      await signIn(app, owner, 'main')
      toProvidersTime(app)
      await app.sandbox.simulate.cancel(subscription)
      await app.paymentsSettled()
      await run(app)
      expect(await remaining(app, owner)).toEqual([])
    })

    slow(
      'billing 8: until the provider has ended what was cancelled, which may be down meanwhile',
      async () => {
        const owner = await aProvenOwner(app)
        const subscription = await pay(app, await openCheckout(app, owner))
        expect(outcome(await ask(app, owner))).toBe('409 SUBSCRIPTION_LIVE')
        await app.sandbox.simulate.changeSubscription(subscription, { cancel_at_period_end: true })
        await app.paymentsSettled()
        expect(outcome(await ask(app, owner))).toBe('200')
        await setGrace(app, owner, -DAY)
        const statusThere = () => app.sandbox.subscriptions().find(({ id }) => id === subscription)?.status
        app.sandbox.fault = 'error-500'
        await run(app)
        // The provider signs its events by its own clock.
        toProvidersTime(app)
        await app.paymentsSettled()
        expect([await remaining(app, owner), statusThere()]).toEqual([[expect.anything()], 'active'])
        app.sandbox.fault = null
        await run(app)
        toProvidersTime(app)
        await eventually(() => statusThere() === 'canceled')
        await app.paymentsSettled()
        await run(app)
        expect(await remaining(app, owner)).toEqual([])
      },
    )

    slow(
      'and ends nothing where the owner keeps the account while the provider is about to be told',
      async () => {
        const owner = await aProvenOwner(app)
        const subscription = await pay(app, await openCheckout(app, owner))
        await app.sandbox.simulate.changeSubscription(subscription, { cancel_at_period_end: true })
        await app.paymentsSettled()
        expect(outcome(await ask(app, owner))).toBe('200')
        await setGrace(app, owner, -DAY)
        const held = heldCall(app.get(ProviderUpdates), 'send')
        await run(app)
        await held.begun
        expect(outcome(await keep(app, owner))).toBe('204')
        held.release()
        toProvidersTime(app)
        await app.paymentsSettled()
        const statusThere = app.sandbox.subscriptions().find(({ id }) => id === subscription)?.status
        expect([statusThere, await deleteAt(app, owner)]).toEqual(['active', null])
      },
    )

    slow('until an extended term is in its last period, and ends nothing before', async () => {
      const owner = await aProvenOwner(app)
      const subscription = await pay(app, await openCheckout(app, owner))
      const change = async (changes: object) => {
        await toProvidersTime(app)
        await app.sandbox.simulate.changeSubscription(subscription, changes)
        await app.paymentsSettled()
      }
      const statusThere = () => app.sandbox.subscriptions().find(({ id }) => id === subscription)?.status
      await change({ cancel_at_period_end: true })
      expect(outcome(await ask(app, owner))).toBe('200')
      await change({ cancel_at: 4_000_000_000 })
      await setGrace(app, owner, -DAY)
      await run(app)
      await toProvidersTime(app)
      await app.paymentsSettled()
      expect([await remaining(app, owner), statusThere()]).toEqual([[expect.anything()], 'active'])
      await change({ cancel_at_period_end: true })
      await run(app)
      await toProvidersTime(app)
      await eventually(() => statusThere() === 'canceled')
      await app.paymentsSettled()
      await run(app)
      expect(await remaining(app, owner)).toEqual([])
    })

    slow('does not make other accounts wait', async () => {
      const waiting = await aProvenOwner(app)
      await openCheckout(app, waiting)
      // Its page stays open for as long as the provider does not answer.
      app.sandbox.fault = 'error-500'
      await ask(app, waiting)
      await setGrace(app, waiting, -DAY)
      const { owner } = await aLeavingOwner(app)
      await setGrace(app, owner, 0)
      await run(app)
      app.sandbox.fault = null
      expect(await remaining(app, waiting)).toHaveLength(1)
      expect(await remaining(app, owner)).toEqual([])
    })
  })

  describe('interrupted half-way', () => {
    /** The service dies before the removal of the account's user of this number. */
    function crashBefore(number: number, { accountId }: User): void {
      const removal = app.get(AccountDeletionJob)
      const remove = removal.removeUser.bind(removal)
      let count = 0
      jest.spyOn(removal, 'removeUser').mockImplementation(async whom => {
        if (whom.accountId === accountId) count++
        if (count >= number) throw new Error('the process ends here')
        return remove(whom)
      })
    }

    it('continues in the next run', async () => {
      const { owner } = await aLeavingOwner(app)
      const members = [await aMember(app, owner), await aMember(app, owner), await aMember(app, owner)]
      app.clock.advance(GRACE)
      crashBefore(3, owner)
      await run(app)
      jest.restoreAllMocks()
      const left = await remaining(app, owner)
      expect(left).toHaveLength(2)
      expect((await subjectsTo(app, owner)).at(-1)).toMatch(/has been deleted$/)
      expect(left.map(({ role }) => role)).toEqual(['member', 'member'])
      expect(await deleteAt(app, owner)).toBeInstanceOf(Date)
      await run(app)
      expect(await remaining(app, owner)).toEqual([])
      expect(await deleteAt(app, owner)).toBeUndefined()
      const removed = await rowsOf(app, owner, 'user.remove')
      expect(removed.map(({ userId }) => userId).sort()).toEqual(
        [owner, ...members].map(({ id }) => id).sort(),
      )
      expect((await rowsOf(app, owner, 'account.delete')).at(-1)?.detail).toEqual({ step: 'done' })
    })

    it('leaves everything before the first user is removed, and the owner can keep the account', async () => {
      const { owner } = await aLeavingOwner(app)
      await aMember(app, owner)
      app.clock.advance(GRACE)
      crashBefore(1, owner)
      await run(app)
      jest.restoreAllMocks()
      expect(await remaining(app, owner)).toHaveLength(2)
      expect(outcome(await keep(app, await signIn(app, owner, 'main')))).toBe('204')
      await run(app)
      expect(await remaining(app, owner)).toHaveLength(2)
    })

    it('does not stop other accounts from being removed', async () => {
      const first = await aLeavingOwner(app)
      const second = await aLeavingOwner(app)
      app.clock.advance(GRACE)
      const removal = app.get(AccountDeletionJob)
      const remove = removal.removeUser.bind(removal)
      jest.spyOn(removal, 'removeUser').mockImplementation(async whom => {
        if (whom.id === first.owner.id) throw new Error('this one fails')
        return remove(whom)
      })
      await run(app)
      jest.restoreAllMocks()
      expect(await remaining(app, first.owner)).toHaveLength(1)
      expect(await remaining(app, second.owner)).toEqual([])
      await run(app)
      expect(await remaining(app, first.owner)).toEqual([])
    })
  })

  it('refuses a checkout between two removed users, and the removal goes on', async () => {
    const { owner } = await aLeavingOwner(app)
    const payers = [await aMemberWith(app, owner, 'payments'), await aMemberWith(app, owner, 'payments')]
    app.clock.advance(GRACE)
    const live: SignedIn[] = []
    for (const payer of payers) live.push(await signIn(app, payer, 'main'))
    const removal = app.get(AccountDeletionJob)
    const remove = removal.removeUser.bind(removal)
    const clicks: string[] = []
    jest.spyOn(removal, 'removeUser').mockImplementation(async whom => {
      if (whom.id !== owner.id && whom.accountId === owner.accountId)
        for (const session of live) clicks.push(outcome(await subscribe(app, session)))
      return remove(whom)
    })
    await run(app)
    expect(clicks.sort()).toEqual([ENDED, CLOSING, CLOSING, CLOSING])
    expect(await remaining(app, owner)).toEqual([])
    expect(await deleteAt(app, owner)).toBeUndefined()
    const opened = await app.database.run(db =>
      db
        .select()
        .from(checkouts)
        .where(and(eq(checkouts.accountId, owner.accountId), eq(checkouts.isOpen, true))),
    )
    expect(opened).toEqual([])
  })

  it('refuses a checkout whose account is removed after the guards have let it pass', async () => {
    const { owner } = await aLeavingOwner(app)
    app.clock.advance(GRACE)
    const payer = await signIn(app, owner, 'main')
    const held = heldCall(app.get(CheckoutService), 'start')
    const click = subscribe(app, payer, {}, 30_000)
    await held.begun
    await run(app)
    expect(await deleteAt(app, owner)).toBeUndefined()
    held.release()
    expect(outcome(await click)).toBe(ENDED)
  })
})
