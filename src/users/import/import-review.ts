import { Injectable } from '@nestjs/common'
import { inArray } from 'drizzle-orm'
import { Satellites } from '../../cors/satellites.js'
import type { Db } from '../../platform/database/connection.js'
import { accounts, users } from '../../platform/database/schema/accounts.js'
import { satellites } from '../../platform/database/schema/satellites.js'
import { EmailReservations } from '../email-reservations.js'
import { type NumberedUser, without } from './imported-user.js'
import { type RefusedLine, refusedForOwners } from './owner-check.js'

/** What the batches before this one would have added, if they had been written. */
export interface Earlier {
  readonly emails: Set<string>
  /** Accounts for which they include an owner. */
  readonly owned: Set<string>
}

/** Checks a batch against what is in the database. */
@Injectable()
export class ImportReview {
  constructor(
    private readonly reservations: EmailReservations,
    private readonly satellites: Satellites,
  ) {}

  /**
   * `accepted`: users to be added, sorted by e-mail address, so that two concurrent imports lock in the same
   * order and cannot deadlock. `refused`: lines at fault, in line order. The others are here already.
   */
  async of(transaction: Db, batch: readonly NumberedUser[], earlier: Earlier) {
    const fresh = await this.withoutKnown(transaction, batch, earlier)
    const withoutAccount = await onMissingAccounts(transaction, fresh)
    const withAccount = without(fresh, withoutAccount)
    const onForeignSatellites = await this.onForeignSatellites(transaction, withAccount)
    const others = await refusedForOwners(
      transaction,
      without(withAccount, onForeignSatellites),
      earlier.owned,
    )
    const refused = [...withoutAccount, ...onForeignSatellites, ...others].sort(
      (one, other) => one.line - other.line,
    )
    return { accepted: without(fresh, refused), refused }
  }

  /** The first of each address that nobody has, and for whose former user it is not reserved. */
  private async withoutKnown(
    transaction: Db,
    batch: readonly NumberedUser[],
    earlier: Earlier,
  ): Promise<NumberedUser[]> {
    const emails = batch.map(({ user }) => user.email)
    const known = await transaction
      .select({ email: users.email })
      .from(users)
      .where(inArray(users.email, emails))
    // Not before: an address that its user gives up in between would be in neither.
    const reserved = await this.reservations.among(transaction, emails)
    const taken = new Set([...known.map(({ email }) => email), ...reserved])
    const byEmail = new Map<string, NumberedUser>()
    for (const numbered of batch) {
      const { email } = numbered.user
      const isKnown = taken.has(email) || earlier.emails.has(email)
      if (!isKnown && !byEmail.has(email)) byEmail.set(email, numbered)
    }
    return [...byEmail.values()].sort((one, other) => (one.user.email < other.user.email ? -1 : 1))
  }

  /** As for an invitation: the account's own satellites in any state, and those that every account may use. */
  private async onForeignSatellites(transaction: Db, batch: readonly NumberedUser[]): Promise<RefusedLine[]> {
    const origins = new Set(batch.flatMap(({ user }) => user.satellites ?? []))
    if (origins.size === 0) return []
    const registered = await transaction
      .select({ accountId: satellites.accountId, origin: satellites.origin })
      .from(satellites)
      .where(inArray(satellites.origin, [...origins]))
    const own = new Set(registered.map(({ accountId, origin }) => `${accountId} ${origin}`))
    // A host that a pattern covers is none: members are admitted to the pattern.
    const isOf = (accountId: string, origin: string) =>
      own.has(`${accountId} ${origin}`) ||
      (this.satellites.isOf(accountId, origin) && this.satellites.find(origin)?.origin === origin)
    return batch
      .filter(({ user: { account, satellites: wanted } }) =>
        wanted?.some(origin => account.kind === 'own' || !isOf(account.id, origin)),
      )
      .map(({ line }) => ({ line, reason: 'has satellites that its account may not use' }))
  }
}

async function onMissingAccounts(transaction: Db, batch: readonly NumberedUser[]): Promise<RefusedLine[]> {
  const missing = await missingAccounts(transaction, batch)
  return batch
    .filter(({ user: { account } }) => account.kind === 'existing' && missing.has(account.id))
    .map(({ line }) => ({ line, reason: 'has an accountId that does not exist here' }))
}

async function missingAccounts(
  transaction: Db,
  batch: readonly NumberedUser[],
): Promise<ReadonlySet<string>> {
  const wanted = new Set(
    batch.flatMap(({ user: { account } }) => (account.kind === 'existing' ? account.id : [])),
  )
  if (wanted.size === 0) return wanted
  const found = await transaction
    .select({ id: accounts.id })
    .from(accounts)
    .where(inArray(accounts.id, [...wanted]))
    .orderBy(accounts.id)
    .for('share')
  for (const { id } of found) wanted.delete(id)
  return wanted
}
