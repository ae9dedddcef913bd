import { Injectable } from '@nestjs/common'
import { and, eq, inArray, max, or, sql } from 'drizzle-orm'
import { Clock, secondsAfter } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { familiarClients } from '../database/schema.js'
import { subnetOf } from '../http/network.js'
import { type DeviceId, deviceIdHash, newDeviceId } from './device-id.js'

/** A login compared with what the user has logged in from before. */
export interface KnownDevice {
  /** Null at a user's first login, when everything is new and nothing is unusual. */
  readonly known: { readonly device: boolean; readonly network: boolean; readonly deviceId: boolean } | null
  /** Where the previous login came from; null when there is none. */
  readonly before: { readonly network: string; readonly at: Date } | null
  /** What the client must keep from now on: its own id, or a new one; null for a client that keeps none. */
  readonly deviceId: DeviceId | null
}

/** What a login comes from. */
export interface LoginOrigin {
  /** The kind of device, in words. */
  readonly device: string
  readonly ip: string
  /** Null when the client has none yet; undefined when it keeps none and must not be given one. */
  readonly deviceId: DeviceId | null | undefined
}

/** A device or network that has not been seen for this long counts as new again: addresses change owners. */
const FORGET_AFTER_SECONDS = 400 * 24 * 60 * 60
/** More devices than a person has, because private windows make a new one at each login. */
const MAX_DEVICE_IDS_PER_USER = 50

/** The kinds of device, networks and devices that users have logged in from. */
@Injectable()
export class KnownDevices {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Whether the user has logged in from the network of this address. The rate limits let them in from
   * there while strangers are refused.
   */
  async knowsNetwork(userId: string, ip: string): Promise<boolean> {
    const [row] = await this.database.run(db =>
      db
        .select({ kind: familiarClients.kind })
        .from(familiarClients)
        .where(and(eq(familiarClients.userId, userId), is('network', subnetOf(ip)))),
    )
    return row !== undefined
  }

  /**
   * Records that the user logs in from the network of this address: they have just proved in another way who
   * they are.
   */
  async rememberNetwork(transaction: Db, userId: string, ip: string): Promise<void> {
    const now = this.clock.now()
    const value = subnetOf(ip)
    await transaction
      .insert(familiarClients)
      .values({ userId, kind: 'network', value, firstSeen: now, lastSeen: now })
      .onConflictDoUpdate({
        target: [familiarClients.userId, familiarClients.kind, familiarClients.value],
        set: { lastSeen: now },
      })
  }

  /**
   * Records what a login came from and returns what of it was new, in one statement; of two logins at once
   * only one is reported as new. An unknown device id is replaced. One of another user is kept, since people
   * share browsers, and counts as new for this user.
   */
  async remember(userId: string, { device, ip, deviceId }: LoginOrigin): Promise<KnownDevice> {
    const network = subnetOf(ip)
    const newId = deviceId === undefined ? null : newDeviceId()
    const presentedHash = sql`${deviceId ? deviceIdHash(deviceId) : null}::text`
    const newIdHash = sql`${newId && deviceIdHash(newId)}::text`
    const now = sql`${this.clock.now().toISOString()}::timestamptz`
    const longAgo = sql`${secondsAfter(this.clock.now(), -FORGET_AFTER_SECONDS).toISOString()}::timestamptz`
    const user = sql`${userId}::uuid`
    const statement = sql`
      with before as (
        select kind, value, last_seen from familiar_clients where user_id = ${user} and last_seen >= ${longAgo}
      ), device_id as (
        select case when is_ours then ${presentedHash} else ${newIdHash} end as value, is_ours
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
    return { ...asKnownDevice(row), deviceId: row.is_ours ? (deviceId as DeviceId) : newId }
  }

  /**
   * When each of these users last logged in, by id; none for who has not in the last 400 days. A login that was
   * refused although the password was right may count.
   */
  async lastLoginsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    if (userIds.length === 0) return new Map()
    const { userId, kind, lastSeen } = familiarClients
    const rows = await this.database.run(db =>
      db
        .select({ userId, at: max(lastSeen) })
        .from(familiarClients)
        .where(and(inArray(userId, [...userIds]), eq(kind, 'device')))
        .groupBy(userId),
    )
    return new Map(rows.map(row => [row.userId, row.at as Date]))
  }

  /** Forgets that the user has used a kind of device, a network or a device. Safe to repeat. */
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

  /**
   * Forgets that the user has used any of their devices, though not the kinds and networks. Safe to repeat.
   */
  async forgetDeviceIds(transaction: Db, userId: string): Promise<void> {
    const which = and(eq(familiarClients.userId, userId), eq(familiarClients.kind, 'device id'))
    await transaction.delete(familiarClients).where(which)
  }

  /** Forgets everything that these users have logged in from. Call it when they are removed. */
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

function asKnownDevice(row: Row): Omit<KnownDevice, 'deviceId'> {
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
