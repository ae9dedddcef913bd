import { randomBytes, randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { and, desc, eq, gt, inArray } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { rememberedDevices } from '../platform/database/schema/factors.js'
import { removeExpiredRows } from '../platform/database/sql.js'
import { cookieValues } from '../platform/http/request.js'
import { LeasedJobs } from '../platform/jobs.js'
import { BASE64URL_OF_32_BYTES, hashToken } from '../platform/secrets/token-hash.js'
import { Clock, secondsAfter } from '../platform/time.js'

/** From the login that asked for it, however often it is used. */
const REMEMBERED_SECONDS = 30 * 24 * 60 * 60
/** More browsers than people have; the newest stay. */
const MAX_DEVICES = 20
const JOB = { name: 'remembered-device-cleanup', everyMs: 60 * 60 * 1000 }

/** A browser as its user sees it. */
interface RememberedDevice {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  readonly lastUsedAt: Date
  readonly expiresAt: Date
}

/** The browsers that are not asked for a second factor. Each keeps a token, of which we store the hash. */
@Injectable()
export class RememberedDevices {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Remembers a browser for 30 days and returns the token that it keeps. Beyond 20 the oldest is forgotten. */
  async remember(transaction: Db, userId: string, name: string): Promise<{ id: string; token: string }> {
    const [id, token] = [randomUUID(), randomBytes(32).toString('base64url')]
    const now = this.clock.now()
    const surplus = transaction
      .select({ id: rememberedDevices.id })
      .from(rememberedDevices)
      .where(eq(rememberedDevices.userId, userId))
      .orderBy(desc(rememberedDevices.createdAt), rememberedDevices.id)
      .offset(MAX_DEVICES - 1)
    await transaction.delete(rememberedDevices).where(inArray(rememberedDevices.id, surplus))
    await transaction.insert(rememberedDevices).values({
      id,
      userId,
      hash: hashToken(token),
      name,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: secondsAfter(now, REMEMBERED_SECONDS),
    })
    return { id, token }
  }

  /** The id of the browser of this user that keeps this token; null when it is not remembered. */
  async recognize(userId: string, token: string): Promise<string | null> {
    if (!BASE64URL_OF_32_BYTES.test(token)) return null
    const [found] = await this.database.run(db =>
      db
        .select({ id: rememberedDevices.id })
        .from(rememberedDevices)
        .where(and(this.isLiveOf(userId), eq(rememberedDevices.hash, hashToken(token)))),
    )
    return found?.id ?? null
  }

  /**
   * Notes in the transaction of a login that it rests on this browser; false when it is no longer remembered.
   * Locks it, so that whatever forgets it waits, and then finds the session.
   */
  async use(transaction: Db, id: string): Promise<boolean> {
    const lastUsedAt = this.clock.now()
    const used = await transaction
      .update(rememberedDevices)
      .set({ lastUsedAt })
      .where(and(eq(rememberedDevices.id, id), gt(rememberedDevices.expiresAt, lastUsedAt)))
      .returning({ id: rememberedDevices.id })
    return used.length > 0
  }

  /** The user's browsers, the newest first; `isCurrent` is the one with this token. */
  async list(
    userId: string,
    token: string | null,
  ): Promise<(RememberedDevice & { readonly isCurrent: boolean })[]> {
    const current = token === null ? null : hashToken(token)
    const rows = await this.database.run(db =>
      db
        .select()
        .from(rememberedDevices)
        .where(this.isLiveOf(userId))
        .orderBy(desc(rememberedDevices.createdAt), rememberedDevices.id),
    )
    return rows.map(({ userId: _, hash, ...device }) => ({ ...device, isCurrent: hash === current }))
  }

  /** Forgets one of the user's browsers, or all; returns which. */
  async forget(transaction: Db, userId: string, id?: string): Promise<RememberedDevice[]> {
    const matches = id === undefined ? undefined : eq(rememberedDevices.id, id)
    return transaction
      .delete(rememberedDevices)
      .where(and(eq(rememberedDevices.userId, userId), matches))
      .returning()
  }

  /** On one replica at a time; returns how many were removed, or null when the run did not finish here. */
  @Interval(JOB.everyMs)
  removeExpired(): Promise<number | null> {
    return this.jobs.run(JOB, now =>
      removeExpiredRows(this.database, rememberedDevices, rememberedDevices.expiresAt, now),
    )
  }

  private isLiveOf(userId: string) {
    return and(eq(rememberedDevices.userId, userId), gt(rememberedDevices.expiresAt, this.clock.now()))
  }
}

/**
 * Browsers accept this prefix only from this very host and over TLS (RFC 6265bis §4.1.3.2), so no subdomain
 * can plant one.
 */
const NAME = '__Host-remembered-device'
/** Strict: nothing but the main site's own page logs in. */
const ATTRIBUTES = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' } as const

export function setRememberedDeviceCookie(reply: FastifyReply, token: string): void {
  reply.setCookie(NAME, token, { ...ATTRIBUTES, maxAge: REMEMBERED_SECONDS })
}

export function clearRememberedDeviceCookie(reply: FastifyReply): void {
  reply.clearCookie(NAME, ATTRIBUTES)
}

/** The token in the cookie; null when there is none, or more than one. */
export function presentedRememberedDevice(request: FastifyRequest): string | null {
  const [token, ...others] = cookieValues(request, NAME)
  return token === undefined || others.length > 0 ? null : token
}
