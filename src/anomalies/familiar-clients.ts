import { Injectable } from '@nestjs/common'
import { and, eq, inArray, or, sql } from 'drizzle-orm'
import { Clock, secondsAfter } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { familiarClients } from '../database/schema.js'
import { networkOf } from './network.js'

/** What a login came from, beside what the user had logged in from before. */
export interface Acquaintance {
  /** Null at a user's first login: everything is new then, and no news. */
  readonly known: { readonly device: boolean; readonly network: boolean } | null
  /** Where the login before this one came from; null when there is none. */
  readonly before: { readonly network: string; readonly at: Date } | null
}

/** A device or network that has not been seen for so long is a stranger again: addresses find new owners. */
const FORGET_AFTER_SECONDS = 400 * 24 * 60 * 60

/** Which kinds of device and which networks users have logged in from. */
@Injectable()
export class FamiliarClients {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Has the user logged in from the network of this address? Attempt limits let them in from there while others fail. */
  async knowsNetwork(userId: string, ip: string): Promise<boolean> {
    const [row] = await this.database.run(db =>
      db
        .select({ kind: familiarClients.kind })
        .from(familiarClients)
        .where(and(eq(familiarClients.userId, userId), isNetwork(networkOf(ip)))),
    )
    return row !== undefined
  }

  /**
   * Keeps what a login came from and says what of it was new, in one statement; of two logins at once one is told
   * that it is new.
   */
  async remember(userId: string, device: string, ip: string): Promise<Acquaintance> {
    const network = networkOf(ip)
    const now = sql`${this.clock.now().toISOString()}::timestamptz`
    const longAgo = sql`${secondsAfter(this.clock.now(), -FORGET_AFTER_SECONDS).toISOString()}::timestamptz`
    const user = sql`${userId}::uuid`
    const statement = sql`
      with before as (
        select kind, value, last_seen from familiar_clients where user_id = ${user} and last_seen >= ${longAgo}
      ), written as (
        insert into familiar_clients (user_id, kind, value, first_seen, last_seen)
        values (${user}, 'device', ${device}, ${now}, ${now}), (${user}, 'network', ${network}, ${now}, ${now})
        on conflict (user_id, kind, value) do update
          set last_seen = greatest(familiar_clients.last_seen, excluded.last_seen)
        returning kind, xmax = 0 as is_new
      ), forgotten as (
        delete from familiar_clients where user_id = ${user} and last_seen < ${longAgo}
          and (kind, value) not in (('device', ${device}), ('network', ${network}))
      )
      select
        exists (select from before) as has_history,
        (select is_new from written where kind = 'device') as is_new_device,
        (select is_new from written where kind = 'network') as is_new_network,
        latest.value as latest_network,
        extract(epoch from latest.last_seen)::float8 as latest_seconds
      from (select) as one
      left join (select value, last_seen from before where kind = 'network' order by last_seen desc limit 1)
        as latest on true`
    const answer = await this.database.run(db => db.execute(statement))
    return asAcquaintance((answer as unknown as { rows: Row[] }).rows[0] as Row)
  }

  /** Makes a device, a network of the user, or both, strangers again. Safe to repeat. */
  async forget(
    transaction: Db,
    userId: string,
    { device, network }: { readonly device?: string; readonly network?: string },
  ): Promise<void> {
    const which = or(
      device === undefined ? undefined : isDevice(device),
      network === undefined ? undefined : isNetwork(network),
    )
    if (which) await transaction.delete(familiarClients).where(and(eq(familiarClients.userId, userId), which))
  }

  /** Forgets everything that these users have logged in from, for when they are removed. */
  async forgetUsers(transaction: Db, userIds: readonly string[]): Promise<void> {
    if (userIds.length > 0)
      await transaction.delete(familiarClients).where(inArray(familiarClients.userId, [...userIds]))
  }
}

interface Row {
  readonly has_history: boolean
  readonly is_new_device: boolean
  readonly is_new_network: boolean
  readonly latest_network: string | null
  readonly latest_seconds: number | null
}

function asAcquaintance(row: Row): Acquaintance {
  return {
    known: row.has_history ? { device: !row.is_new_device, network: !row.is_new_network } : null,
    before:
      row.latest_network === null
        ? null
        : { network: row.latest_network, at: new Date(Number(row.latest_seconds) * 1000) },
  }
}

function isDevice(value: string) {
  return and(eq(familiarClients.kind, 'device'), eq(familiarClients.value, value))
}

function isNetwork(value: string) {
  return and(eq(familiarClients.kind, 'network'), eq(familiarClients.value, value))
}
