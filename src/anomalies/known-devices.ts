import { Injectable } from '@nestjs/common'
import { and, eq, gte, inArray, max, sql } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { knownDevices } from '../platform/database/schema/anomalies.js'
import { Statement } from '../platform/database/statement.js'
import { subnetOf } from '../platform/http/request.js'
import { hashToken } from '../platform/secrets/token-hash.js'
import { Clock, secondsAfter } from '../platform/time.js'
import { type DeviceId, newDeviceId } from './device-id.js'
import { DEVICE_COLUMNS, DEVICE_PARTS, type KnownDeviceRow } from './device-parts.js'

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

/** What a login came from, as values for a statement. */
export interface SeenDevice {
  readonly values: object
  deviceOf(row: KnownDeviceRow): KnownDevice
}

const REMEMBER = new Statement<KnownDeviceRow>(
  sql`with found as (select), ${DEVICE_PARTS} select ${DEVICE_COLUMNS}`,
)

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
        .select({ kind: knownDevices.kind })
        .from(knownDevices)
        .where(and(eq(knownDevices.userId, userId), hasValue('network', subnetOf(ip)))),
    )
    return row !== undefined
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
        set: { lastSeen: now },
      })
  }

  /** Records what a login came from and returns what of it was new, in one statement. */
  async remember(userId: string, origin: PresentedDevice): Promise<KnownDevice> {
    const seen = this.seenAt(userId, origin)
    const [row] = await this.database.run(db => REMEMBER.run(db, { device: seen.values }))
    return seen.deviceOf(row as KnownDeviceRow)
  }

  /**
   * Returns what {@link remember} would, but remembers nothing. Waits for a login of the user that is being
   * recorded; a login that comes meanwhile sees no trace of this.
   */
  async compare(userId: string, origin: PresentedDevice): Promise<KnownDevice> {
    const seen = this.seenAt(userId, origin)
    const [row] = await this.database.rolledBack(db => REMEMBER.run(db, { device: seen.values }))
    return seen.deviceOf(row as KnownDeviceRow)
  }

  /** What a login came from, as values for {@link DEVICE_PARTS}, and how to read the result. */
  seenAt(userId: string, { device, ip, deviceId }: PresentedDevice): SeenDevice {
    const now = this.clock.now()
    const newId = deviceId === undefined ? null : newDeviceId()
    const values = {
      user: userId,
      device,
      network: subnetOf(ip),
      presented: deviceId ? hashToken(deviceId) : null,
      new: newId && hashToken(newId),
      now: now.toISOString(),
      longAgo: secondsAfter(now, -FORGET_AFTER_SECONDS).toISOString(),
    }
    return {
      values,
      deviceOf: row => ({ ...asKnownDevice(row), deviceId: row.is_ours ? (deviceId as DeviceId) : newId }),
    }
  }

  /**
   * When each of these users last logged in, by user id; users who have not within the last 400 days are missing.
   */
  async lastLoginsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    if (userIds.length === 0) return new Map()
    const { userId, kind, lastSeen } = knownDevices
    const rows = await this.database.run(db =>
      db
        .select({ userId, at: max(lastSeen) })
        .from(knownDevices)
        .where(and(inArray(userId, [...userIds]), eq(kind, 'device')))
        .groupBy(userId),
    )
    return new Map(rows.map(row => [row.userId, row.at as Date]))
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

function asKnownDevice(row: KnownDeviceRow): Omit<KnownDevice, 'deviceId'> {
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
