import { Injectable } from '@nestjs/common'
import { and, eq, inArray, or, sql } from 'drizzle-orm'
import { Clock, secondsAfter } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { familiarClients } from '../database/schema.js'
import { type DeviceId, deviceIdHash, newDeviceId } from './device-id.js'
import { networkOf } from './network.js'

/** What a login came from, beside what the user had logged in from before. */
export interface Acquaintance {
  /** Null at a user's first login: everything is new then, and no news. */
  readonly known: { readonly device: boolean; readonly network: boolean; readonly deviceId: boolean } | null
  /** Where the login before this one came from; null when there is none. */
  readonly before: { readonly network: string; readonly at: Date } | null
  /** What the client is to keep from now on: the one it has, or a new one; null for a client that keeps none. */
  readonly deviceId: DeviceId | null
}

/** What a login comes from. */
export interface LoginOrigin {
  /** The kind of device, in words. */
  readonly device: string
  readonly ip: string
  /** Null when the client has none yet; undefined when it keeps none. */
  readonly deviceId: DeviceId | null | undefined
}

/** A device or network that has not been seen for so long is a stranger again: addresses find new owners. */
const FORGET_AFTER_SECONDS = 400 * 24 * 60 * 60
/** More devices than a person has; private windows make a new one at every login. */
const MAX_DEVICE_IDS_PER_USER = 50

/** Which kinds of device, which networks and which devices users have logged in from. */
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
        .where(and(eq(familiarClients.userId, userId), is('network', networkOf(ip)))),
    )
    return row !== undefined
  }

  /** Makes the network of this address one that the user logs in from: they have just shown who they are in another way. */
  async rememberNetwork(transaction: Db, userId: string, ip: string): Promise<void> {
    const now = this.clock.now()
    const value = networkOf(ip)
    await transaction
      .insert(familiarClients)
      .values({ userId, kind: 'network', value, firstSeen: now, lastSeen: now })
      .onConflictDoUpdate({
        target: [familiarClients.userId, familiarClients.kind, familiarClients.value],
        set: { lastSeen: now },
      })
  }

  /**
   * Keeps what a login came from and says what of it was new, in one statement; of two logins at once one is told
   * that it is new. A device id that no user has logged in with is not ours, and is replaced; one of another user is
   * kept, since people share browsers, and is as new to this one.
   */
  async remember(userId: string, { device, ip, deviceId }: LoginOrigin): Promise<Acquaintance> {
    const network = networkOf(ip)
    const fresh = deviceId === undefined ? null : newDeviceId()
    const presentedHash = sql`${deviceId ? deviceIdHash(deviceId) : null}::text`
    const freshHash = sql`${fresh && deviceIdHash(fresh)}::text`
    const now = sql`${this.clock.now().toISOString()}::timestamptz`
    const longAgo = sql`${secondsAfter(this.clock.now(), -FORGET_AFTER_SECONDS).toISOString()}::timestamptz`
    const user = sql`${userId}::uuid`
    const statement = sql`
      with before as (
        select kind, value, last_seen from familiar_clients where user_id = ${user} and last_seen >= ${longAgo}
      ), device_id as (
        select case when is_ours then ${presentedHash} else ${freshHash} end as value, is_ours
        from (select exists (
          select from familiar_clients
          where kind = 'device id' and value = ${presentedHash} and last_seen >= ${longAgo}
        ) as is_ours) as presented
      ), seen as (
        select 'device' as kind, ${device}::text as value
        union all select 'network', ${network}::text
        union all select 'device id', value from device_id where value is not null
      ), written as (
        insert into familiar_clients (user_id, kind, value, first_seen, last_seen)
        select ${user}, kind, value, ${now}, ${now} from seen
        on conflict (user_id, kind, value) do update
          set last_seen = greatest(familiar_clients.last_seen, excluded.last_seen)
        returning kind, xmax = 0 as is_new
      ), forgotten as (
        delete from familiar_clients
        where user_id = ${user} and (kind, value) not in (select kind, value from seen)
          and (last_seen < ${longAgo} or kind = 'device id' and value in (
            select value from before where kind = 'device id' and value not in (select value from seen)
            order by last_seen desc, value offset ${MAX_DEVICE_IDS_PER_USER - 1}
          ))
      )
      select
        exists (select from before) as has_history,
        (select is_new from written where kind = 'device') as is_new_device,
        (select is_new from written where kind = 'network') as is_new_network,
        (select is_ours from device_id) as is_ours,
        exists (select from before where kind = 'device id' and value = ${presentedHash}) as is_known_device_id,
        latest.value as latest_network,
        extract(epoch from latest.last_seen)::float8 as latest_seconds
      from (select) as one
      left join (select value, last_seen from before where kind = 'network' order by last_seen desc limit 1)
        as latest on true`
    const answer = await this.database.run(db => db.execute(statement))
    const row = (answer as unknown as { rows: Row[] }).rows[0] as Row
    return { ...asAcquaintance(row), deviceId: row.is_ours ? (deviceId as DeviceId) : fresh }
  }

  /** Makes a kind of device, a network, a device of the user strangers again. Safe to repeat. */
  async forget(
    transaction: Db,
    userId: string,
    {
      device,
      network,
      deviceId,
    }: { readonly device?: string; readonly network?: string; readonly deviceId?: DeviceId },
  ): Promise<void> {
    const which = or(
      device === undefined ? undefined : is('device', device),
      network === undefined ? undefined : is('network', network),
      deviceId === undefined ? undefined : is('device id', deviceIdHash(deviceId)),
    )
    if (which) await transaction.delete(familiarClients).where(and(eq(familiarClients.userId, userId), which))
  }

  /** Makes all devices of the user strangers again, though not their kinds and networks. Safe to repeat. */
  async forgetDeviceIds(transaction: Db, userId: string): Promise<void> {
    const which = and(eq(familiarClients.userId, userId), eq(familiarClients.kind, 'device id'))
    await transaction.delete(familiarClients).where(which)
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
  readonly is_ours: boolean
  readonly is_known_device_id: boolean
  readonly latest_network: string | null
  readonly latest_seconds: number | null
}

function asAcquaintance(row: Row): Omit<Acquaintance, 'deviceId'> {
  return {
    known: row.has_history
      ? { device: !row.is_new_device, network: !row.is_new_network, deviceId: row.is_known_device_id }
      : null,
    before:
      row.latest_network === null
        ? null
        : { network: row.latest_network, at: new Date(Number(row.latest_seconds) * 1000) },
  }
}

function is(kind: 'device' | 'network' | 'device id', value: string) {
  return and(eq(familiarClients.kind, kind), eq(familiarClients.value, value))
}
