import { and, count, eq } from 'drizzle-orm'
import { AuditLog } from '../../../src/audit/audit-log.js'
import { Database } from '../../../src/database/database.js'
import { auditLog } from '../../../src/database/schema/audit.js'
import type { User } from '../../../src/users/user.js'
import { Users } from '../../../src/users/users.js'
import type { TestApp } from '../../support/test-app.js'
import { DEEDS, type Deed } from './deeds.js'

/** What was known before a request was sent. */
interface Before {
  readonly deed: Deed
  readonly rows: number
  readonly mails: ReadonlyMap<string, number>
  readonly hasFactor: boolean
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
    const user = await this.app.app.get(Users).find(this.owner.id)
    const addresses = new Set([user?.email ?? this.owner.email, this.owner.email])
    const mails = new Map<string, number>()
    for (const address of addresses) mails.set(address, await this.countMails(address))
    return { deed, mails, rows: await this.countRows(deed), hasFactor: user?.hasSecondFactor ?? false }
  }

  /** Call it after the request, if it was not refused. */
  async after(request: string, { deed, rows, mails, hasFactor }: Before): Promise<void> {
    if (deed.needsFactor && hasFactor && !this.hasProvedFactor)
      this.complaints.push(`${request} was done without a second factor`)
    if ((await this.countRows(deed)) === rows) this.complaints.push(`${request} has no row ${deed.action}`)
    if (!deed.mailed) return
    const reached: boolean[] = []
    for (const [address, had] of mails) reached.push((await this.countMails(address)) > had)
    const isTold = deed.mailed === 'every address' ? reached.every(Boolean) : reached.some(Boolean)
    if (!isTold) this.complaints.push(`${request} was not mailed to the owner`)
  }

  private async countRows({ action }: Deed): Promise<number> {
    await this.app.app.get(AuditLog).flush()
    const isIt = and(
      eq(auditLog.accountId, this.owner.accountId),
      eq(auditLog.action, action),
      eq(auditLog.outcome, 'ok'),
    )
    const [row] = await this.app.app
      .get(Database)
      .run(db => db.select({ rows: count() }).from(auditLog).where(isIt))
    return row?.rows ?? 0
  }

  private async countMails(address: string): Promise<number> {
    return (await this.app.mailsTo(address)).length
  }
}
