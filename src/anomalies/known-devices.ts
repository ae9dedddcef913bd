import { randomBytes } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq, gte, inArray, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../platform/database/connection.js'
import { Database, rowsOf } from '../platform/database/database.js'
import { knownDevices } from '../platform/database/schema/anomalies.js'
import { type About, ThirtyTwoBytes } from '../platform/http/fields.js'
import { cookieValues, subnetOf } from '../platform/http/request.js'
import { BASE64URL_OF_32_BYTES, hashToken } from '../platform/secrets/token-hash.js'
import { Clock, secondsAfter } from '../platform/time.js'

/**
 * Distinguishes a browser or app from others of its kind: 32 random bytes that only it keeps, as base64url.
 */
export type DeviceId = string & { readonly brand: 'DeviceId' }

function newDeviceId(): DeviceId {
  return randomBytes(32).toString('base64url') as DeviceId
}

/** The text as a device id; null when it is not one. */
function asDeviceId(text: string | undefined): DeviceId | null {
  return text !== undefined && BASE64URL_OF_32_BYTES.test(text) ? (text as DeviceId) : null
}

/**
 * Browsers accept this prefix only from this very host and over TLS (RFC 6265bis §4.1.3.2), so no subdomain
 * can plant one.
 */
const COOKIE_NAME = '__Host-device'
const COOKIE_MAX_AGE_SECONDS = 365 * 24 * 60 * 60

/** Every login sets it again, so it lasts a year from the latest. */
export function setDeviceCookie(reply: FastifyReply, deviceId: DeviceId): void {
  const attributes = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const
  reply.setCookie(COOKIE_NAME, deviceId, { ...attributes, maxAge: COOKIE_MAX_AGE_SECONDS })
}

/** The device id in the cookie; null when it is absent, malformed or sent more than once. */
export function presentedDeviceId(request: FastifyRequest): DeviceId | null {
  const [value, ...others] = cookieValues(request, COOKIE_NAME)
  return others.length > 0 ? null : asDeviceId(value)
}

/** The field `deviceId` of a login; null and absent are the same to the server. */
export const SentDeviceId = (about: About) =>
  ThirtyTwoBytes({
    optional: true,
    nullable: true,
    sentence: 'must be one that an earlier login answered',
    ...about,
  })

/**
 * How many are kept for each user, those that were seen last. More than a person has: private windows make a new
 * device id at each login, and anyone who knows the password can send any name of a device. Networks are what the
 * rate limits know a user by, so others must not easily push theirs out.
 */
const MAX_PER_USER = { device: 50, 'device id': 50, network: 1_000 } as const
const MAX_OF_KIND = sql.raw(
  `case kind ${Object.entries(MAX_PER_USER)
    .map(([kind, most]) => `when '${kind}' then ${most}`)
    .join(' ')} end`,
)

/** What of a login was new. */
interface Row {
  /** Whether the user has ever logged in: after a long time everything is new, but it is not their first login. */
  readonly has_history: boolean
  readonly is_new_device: boolean
  readonly is_new_network: boolean
  readonly is_ours: boolean
  readonly is_known_device_id: boolean
  readonly latest_network: string | null
  readonly latest_seconds: number | null
}

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
export interface PresentedDevice {
  /** The kind of device, in words. */
  readonly device: string
  readonly ip: string
  /** Null when the client has none yet; undefined when it keeps none and must not be given one. */
  readonly deviceId: DeviceId | null | undefined
}

/** A device or network that has not been seen for this long counts as new again: addresses change owners. */
const FORGET_AFTER_SECONDS = 400 * 24 * 60 * 60

function longBefore(now: Date): Date {
  return secondsAfter(now, -FORGET_AFTER_SECONDS)
}

/** The kinds of device, networks and devices that users have logged in from. */
@Injectable()
export class KnownDevices {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Whether the user has logged in from the network of this address. The rate limits let them in from
   * there while others are refused.
   */
  async knowsNetwork(userId: string, ip: string): Promise<boolean> {
    const isThis = and(eq(knownDevices.userId, userId), hasValue('network', subnetOf(ip)))
    const isKnown = and(isThis, this.isRemembered())
    return (await this.database.run(db => db.$count(knownDevices, isKnown))) > 0
  }

  /**
   * Records the network of this address as one that the user logs in from: they have just proved who they are in
   * another way.
   */
  async rememberNetwork(transaction: Db, userId: string, ip: string): Promise<void> {
    const now = this.clock.now()
    const value = subnetOf(ip)
    await transaction
      .insert(knownDevices)
      .values({ userId, kind: 'network', value, firstSeen: now, lastSeen: now })
      .onConflictDoUpdate({
        target: [knownDevices.userId, knownDevices.kind, knownDevices.value],
        // One that was forgotten begins again, as in remember().
        set: {
          firstSeen: sql`case when ${knownDevices.lastSeen} < ${longBefore(now).toISOString()}::timestamptz
            then excluded.first_seen else ${knownDevices.firstSeen} end`,
          lastSeen: now,
        },
      })
  }

  /**
   * Returns what {@link remember} would, but remembers nothing. Waits for a login of the user that is being
   * recorded; a login that comes meanwhile sees no trace of this.
   */
  compare(userId: string, origin: PresentedDevice): Promise<KnownDevice> {
    return this.database.rolledBack(transaction => this.remember(transaction, userId, origin))
  }

  /**
   * Records what a login came from and returns what of it was new, in one statement: of two concurrent logins, only
   * one is reported as new. An unknown device id is replaced. One that belongs to another user is kept, since people
   * share browsers, and counts as new for this user. `expired` locks its rows before `written` renews them, so of two
   * concurrent logins after a long time the second finds none.
   */
  async remember(
    transaction: Db,
    userId: string,
    { device, ip, deviceId }: PresentedDevice,
  ): Promise<KnownDevice> {
    const at = this.clock.now()
    const newId = deviceId === undefined ? null : newDeviceId()
    const user = sql`${userId}::uuid`
    const presented = sql`${deviceId ? hashToken(deviceId) : null}::text`
    const now = sql`${at.toISOString()}::timestamptz`
    const longAgo = sql`${longBefore(at).toISOString()}::timestamptz`
    const found = await transaction.execute(sql`
      with before as (
        select kind, value, last_seen from familiar_clients where user_id = ${user} and last_seen >= ${longAgo}
      ), device_id as (
        select case when is_ours then ${presented} else ${newId && hashToken(newId)}::text end as value, is_ours
        from (select exists (
          select from familiar_clients
          where kind = 'device id' and value = ${presented} and last_seen >= ${longAgo}
        ) as is_ours) as presented
      ), seen as (
        select 'device' as kind, ${device}::text as value
        union all select 'network', ${subnetOf(ip)}::text
        union all select 'device id', value from device_id where value is not null
      ), expired as (
        select kind from familiar_clients
        where user_id = ${user} and (kind, value) in (select kind, value from seen) and last_seen < ${longAgo}
        for update
      ), written as (
        insert into familiar_clients (user_id, kind, value, first_seen, last_seen)
        select ${user}, kind, value, ${now}, ${now} from seen, (select count(*) from expired) as awaited
        on conflict (user_id, kind, value) do update
          set first_seen = case when familiar_clients.last_seen < ${longAgo}
              then excluded.first_seen else familiar_clients.first_seen end,
            last_seen = greatest(familiar_clients.last_seen, excluded.last_seen)
        returning kind, xmax = 0 as is_new
      ), forgotten as (
        delete from familiar_clients
        where user_id = ${user} and (kind, value) not in (select kind, value from seen)
          and (last_seen < ${longAgo} or (kind, value) in (
            select kind, value from (
              select kind, value, row_number() over (partition by kind order by last_seen desc, value) as place
              from before where (kind, value) not in (select kind, value from seen)
            ) as others where place >= ${MAX_OF_KIND}
          ))
      ), latest as (
        select value, last_seen from before where kind = 'network' order by last_seen desc limit 1
      )
      select exists (select from familiar_clients where user_id = ${user} and kind = 'device') as has_history,
        (select is_new or kind in (select kind from expired) from written where kind = 'device') as is_new_device,
        (select is_new or kind in (select kind from expired) from written where kind = 'network') as is_new_network,
        (select is_ours from device_id) as is_ours,
        exists (select from before where kind = 'device id' and value = ${presented}) as is_known_device_id,
        (select value from latest) as latest_network,
        (select extract(epoch from last_seen)::float8 from latest) as latest_seconds`)
    const [row] = rowsOf<Row>(found) as [Row]
    return { ...asKnownDevice(row), deviceId: row.is_ours ? (deviceId as DeviceId) : newId }
  }

  private isRemembered() {
    return gte(knownDevices.lastSeen, longBefore(this.clock.now()))
  }

  /** Forgets that the user has logged in from this network, as {@link subnetOf} names it. Safe to repeat. */
  async forgetNetwork(transaction: Db, userId: string, network: string): Promise<void> {
    const which = and(eq(knownDevices.userId, userId), hasValue('network', network))
    await transaction.delete(knownDevices).where(which)
  }

  /**
   * Forgets that the user has used any of their devices, though not the kinds and networks. Safe to repeat.
   */
  async forgetDeviceIds(transaction: Db, userId: string): Promise<void> {
    const which = and(eq(knownDevices.userId, userId), eq(knownDevices.kind, 'device id'))
    await transaction.delete(knownDevices).where(which)
  }

  /** Forgets every kind of device, network and device that was first seen for the user at `since` or later. */
  async forgetSince(transaction: Db, userId: string, since: Date): Promise<void> {
    await transaction
      .delete(knownDevices)
      .where(and(eq(knownDevices.userId, userId), gte(knownDevices.firstSeen, since)))
  }

  /** Forgets everything that these users have logged in from. Call it when they are removed. */
  async forgetUsers(transaction: Db, userIds: readonly string[]): Promise<void> {
    if (userIds.length > 0)
      await transaction.delete(knownDevices).where(inArray(knownDevices.userId, [...userIds]))
  }
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

function hasValue(kind: 'device' | 'network' | 'device id', value: string) {
  return and(eq(knownDevices.kind, kind), eq(knownDevices.value, value))
}
