import { and, count, eq } from 'drizzle-orm'
import { AuditLog, auditLog, type User, UserEmails, Users } from '../../sources.js'
import type { TestApp } from '../../support/test-app.js'
import { linksIn } from '../support/mailbox.js'
import { DEEDS, type Deed } from './deeds.js'

/** What was known before a request was sent. */
interface Before {
  readonly deed: Deed
  readonly rows: number
  /** The user's address. */
  readonly present: string
  readonly mails: Mails
  readonly hasFactor: boolean
}

/** How many had come; the owner's address may be the present one. */
interface Mails {
  readonly present: number
  readonly owner: number
}

/** Watches what somebody does in the owner's name, and whether that is recorded, told and allowed. */
export class Witness {
  /** What was not as it must be. */
  readonly complaints: string[] = []
  /** Whether the watched one has ever proved a second factor of the account: one of their own, or a relayed one. */
  hasProvedFactor = false

  constructor(
    private readonly app: TestApp,
    private readonly owner: User,
  ) {}

  /** Call it before a request; null for one that nobody has to be told of. */
  async before(request: string): Promise<Before | null> {
    const deed = DEEDS.find(one => one.request.test(request))
    if (!deed) return null
    const user = await this.app.get(Users).find(this.owner.id)
    const present = user?.email ?? this.owner.email
    return {
      deed,
      present,
      mails: await this.countMails(present),
      rows: await this.countRows(deed),
      hasFactor: user?.hasSecondFactor ?? false,
    }
  }

  /** Call it after the request, if it was not refused. */
  async after(request: string, { deed, rows, present, mails, hasFactor }: Before): Promise<void> {
    if (deed.needsFactor && hasFactor && !this.hasProvedFactor)
      this.complaints.push(`${request} was done without a second factor`)
    if ((await this.countRows(deed)) === rows) this.complaints.push(`${request} has no row ${deed.action}`)
    if (!deed.mailed) return
    const now = await this.countMails(present)
    if (now.present === mails.present) this.complaints.push(`${request} was not mailed to the user`)
    if (now.owner > mails.owner) return
    if (deed.mailed === 'every address' || !(await this.hasWayBack()))
      this.complaints.push(`${request} was not mailed to the owner`)
  }

  /** Whether the owner's mailbox has a link back to it that works, which undoes all that was done since. */
  private async hasWayBack(): Promise<boolean> {
    const { id, email } = this.owner
    const isMailed = (await this.app.mailsTo(email))
      .flatMap(linksIn)
      .some(({ page }) => page === '/undo-email')
    const { app } = this
    const open = await app.database.run(db => app.get(UserEmails).openChangeFrom(db, id, email))
    return isMailed && open !== null
  }

  private async countRows({ action }: Deed): Promise<number> {
    await this.app.get(AuditLog).flush()
    const matches = and(
      eq(auditLog.accountId, this.owner.accountId),
      eq(auditLog.action, action),
      eq(auditLog.outcome, 'ok'),
    )
    const [row] = await this.app.database.run(db =>
      db.select({ rows: count() }).from(auditLog).where(matches),
    )
    return row?.rows ?? 0
  }

  private async countMails(present: string): Promise<Mails> {
    return {
      present: (await this.app.mailsTo(present)).length,
      owner: (await this.app.mailsTo(this.owner.email)).length,
    }
  }
}
