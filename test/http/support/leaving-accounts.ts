import { eq } from 'drizzle-orm'
import { AccountDeletionJob, accounts, type User, Users } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { passTime } from '../../support/passing-time.js'
import { type SignedIn } from '../../support/people.js'
import type { TestApp } from '../../support/test-app.js'
import { aProvenOwner, onMainSite } from './reauthenticate.js'

const RUN_EVERY_SECONDS = 10 * 60

export const DELETION_PATH = '/api/account/deletion'

/** Asks for the end of the account. */
export function ask(app: TestApp, session: SignedIn): Promise<TestResponse> {
  return onMainSite(app, session, 'POST', DELETION_PATH)
}

/** Takes that back. */
export function keep(app: TestApp, session: SignedIn): Promise<TestResponse> {
  return onMainSite(app, session, 'DELETE', DELETION_PATH)
}

/** An owner who has asked for the end of the account. */
export async function aLeavingOwner(app: TestApp): Promise<{ owner: User; session: SignedIn }> {
  const owner = await aProvenOwner(app)
  const { status, text } = await ask(app, owner)
  if (status !== 200) throw new Error(`the wish to go was answered ${status} ${text}`)
  return { owner, session: owner }
}

/** The next run of some replica; how many accounts went. */
export async function run(app: TestApp): Promise<number | null> {
  await passTime(app, RUN_EVERY_SECONDS)
  return app.get(AccountDeletionJob).run()
}

/** The payment sandbox has a clock of its own: it opens no page for longer than a day and signs what it sends. */
export function toProvidersTime(app: TestApp): void {
  app.clock.advance((Date.now() - app.clock.now().getTime()) / 1000)
}

/** The subscription that the provider makes of a checkout that is paid. */
export async function pay(app: TestApp, checkoutId: string): Promise<string> {
  await app.sandbox.simulate.pay(checkoutId)
  await app.paymentsSettled()
  return app.sandbox.checkouts().find(({ id }) => id === checkoutId)?.subscription as string
}

/** The users whom the account still has. */
export function remaining(app: TestApp, { accountId }: User): Promise<User[]> {
  return app.get(Users).listByAccount(accountId, null, 1_000)
}

/** Null for an account that stays, undefined for one that is gone. */
export async function deleteAt(app: TestApp, { accountId }: User): Promise<Date | null | undefined> {
  const [row] = await app.database.run(db => db.select().from(accounts).where(eq(accounts.id, accountId)))
  return row?.deleteAt
}

/** As if the owner had asked long ago: the account goes in so many seconds. */
export async function setGrace(app: TestApp, { accountId }: User, seconds: number): Promise<void> {
  const at = new Date(app.clock.now().getTime() + seconds * 1000)
  await app.database.run(db => db.update(accounts).set({ deleteAt: at }).where(eq(accounts.id, accountId)))
}

/** What the audit log has of these actions in the account. */
export async function rowsOf(app: TestApp, { accountId }: User, ...actions: string[]) {
  const rows = await app.auditRows()
  return rows.filter(row => row.accountId === accountId && actions.includes(row.action))
}

/** Of the mails to this person, oldest first. */
export async function subjectsTo(app: TestApp, { email }: Pick<User, 'email'>): Promise<string[]> {
  return (await app.mailsTo(email)).map(({ subject }) => subject)
}
