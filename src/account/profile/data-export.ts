import { Injectable } from '@nestjs/common'
import type { AuditRow } from '../../audit/chain.js'
import { begun } from '../../audit/export.js'
import { Clock } from '../../platform/time.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { SessionStore } from '../../sessions/stores/session-store.js'
import { AccountService } from '../account.service.js'
import type { Profile } from './profile.dto.js'
import { ProfileService } from './profile.service.js'
import { type RecordScope, UserRecords } from './user-records.js'

/** Everything about a user as one JSON object (GDPR articles 15 and 20). */
@Injectable()
export class DataExport {
  constructor(
    private readonly profiles: ProfileService,
    private readonly account: AccountService,
    private readonly userRecords: UserRecords,
    private readonly store: SessionStore,
    private readonly clock: Clock,
  ) {}

  /**
   * The export as chunks of text, one page of the audit log each. Resolves once everything up to the first of those
   * pages has been read, so that an outage up to then is still an error response; a later outage makes the
   * iteration throw. `isWanted` is asked before each page: the export ends early when nobody wants it any more.
   * The export itself is logged.
   */
  async start(actor: SessionActor, isWanted: () => boolean): Promise<AsyncIterable<string>> {
    const profile = await this.profiles.find(actor)
    const scope = { profile, last: await this.userRecords.begin(actor), isWanted }
    const head = await this.head(profile, actor.permissions.accountSettings)
    return this.pieces(head, await begun(this.userRecords.concerning(scope)), scope)
  }

  private async head(profile: Profile, mayManageAccount: boolean): Promise<object> {
    const now = this.clock.now()
    return {
      exportedAt: now,
      profile,
      account: await this.accountOf(profile, mayManageAccount),
      sessions: await this.store.listByUser(profile.userId, now),
      factors: await this.userRecords.factors(profile),
      familiarClients: await this.userRecords.familiarClients(profile),
      pendingLinks: await this.userRecords.pendingLinks(profile),
    }
  }

  /** Only people who may manage the account get its pending changes. */
  private async accountOf({ accountId }: Profile, mayManageAccount: boolean): Promise<object> {
    const account = await this.account.read({ accountId })
    const { name, createdAt } = account
    return mayManageAccount ? account : { accountId, name, createdAt }
  }

  private async *pieces(
    head: object,
    concerning: AsyncIterable<AuditRow[]>,
    scope: RecordScope,
  ): AsyncGenerator<string> {
    yield JSON.stringify(head).slice(0, -1)
    yield* this.list('auditLog', concerning, row => withoutOthers(row, scope.profile))
    yield* this.list('actions', this.userRecords.doneBy(scope), row => row)
    yield '}\n'
  }

  private async *list(
    name: string,
    pages: AsyncIterable<AuditRow[]>,
    shown: (row: AuditRow) => object,
  ): AsyncGenerator<string> {
    yield `,"${name}":[`
    let separator = ''
    for await (const rows of pages) {
      yield separator + rows.map(row => JSON.stringify(shown(row))).join(',')
      separator = ','
    }
    yield ']'
  }
}

/** A manager's whereabouts when they changed this user are the manager's own data. */
function withoutOthers(row: AuditRow, { userId }: Profile): object {
  const { by } = row.detail
  if (by === undefined || by === userId) return row
  const { ip, userAgent, origin, requestId, ...rest } = row
  return rest
}
