import { pluralize } from '../../platform/log.js'
import type { Clock } from '../../platform/time.js'
import { canonicalEmail } from '../../users/email.js'
import { isName } from '../../users/name-text.js'
import { readImportedHash, UnusableHash } from '../../users/passwords/hashes.js'
import {
  ExportError,
  type ExportedUser,
  type ExportFiles,
  type ExportFormat,
  type ExportRecord,
  recordsOf,
} from './export-records.js'
import { usableTotpSecret } from './imported-user.js'
import { accountAt, mappedPermissions, meets, type UserMapping, valuesAt } from './user-mapping.js'

/** Called with each line of the file for `users:import`. */
type Write = (line: string) => Promise<void>

type ReportLine = (sentence: string) => void

/** A user with the account that the mapping gives them; null where every user has their own. */
interface Candidate {
  readonly user: ExportedUser
  readonly record: ExportRecord
  /** Of the record in the export. */
  readonly number: number
  readonly email: string
  readonly account: string | null
}

/** A user who is not written, and why, worded for the report. */
interface LeftOut {
  readonly user: ExportedUser
  readonly fault: string
}

const OF_ANOTHER = 'e-mail address of another'
const NO_OWNER = 'account without an owner'
const NO_SATELLITE = 'no satellites'
const NEVER_VERIFIED = 'address never verified'

/**
 * Converts another system's export into lines for `users:import`. Reads the files three times: which record
 * of an address counts has to be known before owners are written, and owners come before the members of their
 * accounts. Keeps the e-mail addresses, the accounts and the second file in memory.
 */
export class ExportConversion {
  private readonly report = new ConversionReport()
  private readonly claims = new EmailClaims()
  /** The owner of each account: their e-mail address, and the customer in their record. */
  private readonly owners = new Map<string, { readonly email: string; readonly customer: unknown }>()

  constructor(
    private readonly format: ExportFormat,
    private readonly mapping: UserMapping,
    private readonly write: Write,
    private readonly reportLine: ReportLine,
    private readonly clock: Clock,
  ) {}

  /** Throws an {@link ExportError} when a file is not in the expected format, or there is no user in any. */
  async run(files: ExportFiles): Promise<ConversionReport> {
    const others = await this.othersOf(files)
    for await (const one of this.usersOf(files, others)) {
      this.report.read += 1
      if ('fault' in one) this.leaveOut(one.user, one.fault)
      else this.claims.add(one)
    }
    if (this.report.read === 0) throw new ExportError(`There are no users in ${files.users.join(', ')}`)
    for await (const one of this.usersOf(files, others)) {
      if ('fault' in one) continue
      if (this.claims.isFirst(one)) await this.writeOwner(one)
      else this.leaveOut(one.user, OF_ANOTHER)
    }
    for await (const one of this.usersOf(files, others))
      if (!('fault' in one) && this.claims.isFirst(one)) await this.writeMember(one)
    return this.report
  }

  private async othersOf({ others }: ExportFiles): Promise<ReadonlyMap<string, ExportRecord>> {
    const found = new Map<string, ExportRecord>()
    const { join } = this.format
    if (others === null || !join) return found
    for await (const other of recordsOf(join.files, [others])) {
      const key = join.keyOfOther(other)
      if (key !== null) found.set(key, other)
    }
    return found
  }

  private async *usersOf(
    files: ExportFiles,
    others: ReadonlyMap<string, ExportRecord>,
  ): AsyncGenerator<Candidate | LeftOut> {
    const read = this.format.reader(files.hashConfig, this.clock.now())
    let number = 0
    for await (const first of recordsOf(this.format.files, files.users)) {
      number += 1
      // For fields in both, the first file is newer: no user must get an address that they have since given up.
      const record = { ...others.get(this.format.join?.keyOf(first) ?? ''), ...first }
      yield this.candidateOf(read(record), record, number)
    }
  }

  private async writeOwner(candidate: Candidate): Promise<void> {
    if (!this.isOwner(candidate)) return
    const { account, email } = candidate
    if (account !== null) {
      if (this.owners.has(account)) return
      this.owners.set(account, { email, customer: this.customerOf(candidate) })
    }
    this.report.owners += 1
    await this.write(this.lineFor(candidate, 'owner'))
  }

  private async writeMember(candidate: Candidate): Promise<void> {
    const { user, account, email } = candidate
    if (account === null) return
    const owner = this.owners.get(account)
    if (owner?.email === email) return
    if (owner === undefined) return this.leaveOut(user, NO_OWNER)
    if (this.satellitesOf(candidate)?.length === 0) return this.leaveOut(user, NO_SATELLITE)
    if (this.isOwner(candidate)) this.report.secondOwners += 1
    this.report.members += 1
    this.reportOtherCustomer(candidate, owner.customer)
    await this.write(this.lineFor(candidate, 'member'))
  }

  /** An account has one customer, that of its owner. */
  private reportOtherCustomer(candidate: Candidate, ofOwner: unknown): void {
    const customer = this.customerOf(candidate)
    if (customer === undefined || customer === ofOwner) return
    this.report.lost.add('a Stripe customer')
    this.reportLine(`${candidate.user.id} has a Stripe customer that is not their owner's: see billing:adopt`)
  }

  private leaveOut({ id }: ExportedUser, fault: string): void {
    this.report.skipped.add(fault)
    this.reportLine(`${id} is left out: ${fault}`)
  }

  private isOwner({ account, record }: Candidate): boolean {
    return account === null || meets(record, this.mapping.owner)
  }

  private candidateOf(user: ExportedUser, record: ExportRecord, number: number): Candidate | LeftOut {
    const email = user.email && canonicalEmail(user.email)
    if (!email) return { user, fault: 'no e-mail address' }
    if (user.isBlocked) return { user, fault: 'blocked or deleted there' }
    const { account: path } = this.mapping
    if (path === null) return { user, record, number, email, account: null }
    const account = accountAt(record, path)
    if ('fault' in account) return { user, fault: account.fault }
    return { user, record, number, email, account: account.key }
  }

  /** Null: all. */
  private satellitesOf({ record }: Candidate): readonly unknown[] | null {
    const { satellites } = this.mapping
    return satellites === null ? null : valuesAt(record, satellites)
  }

  /** As it is in the record; `users:import` refuses what is no customer. Undefined without one. */
  private customerOf({ record }: Candidate): unknown {
    const { customer } = this.mapping
    const values = customer === null ? [] : valuesAt(record, customer).filter(value => value !== '')
    return values.length > 1 ? values : values[0]
  }

  private lineFor(candidate: Candidate, role: 'owner' | 'member'): string {
    const { user, record, email, account } = candidate
    for (const thing of user.lost) this.report.lost.add(thing)
    const totpSecret = user.isEmailVerified && user.totpSecret ? usableTotpSecret(user.totpSecret) : null
    if (totpSecret !== null) this.report.totpSecrets += 1
    else if (user.totpSecret !== null) this.report.lost.add('an authenticator app')
    return JSON.stringify({
      email,
      role,
      name: isName(user.name) ? user.name : undefined,
      account: account ?? undefined,
      customer: role === 'owner' ? this.customerOf(candidate) : undefined,
      permissions: role === 'member' ? mappedPermissions(record, this.mapping) : undefined,
      satellites: role === 'member' ? (this.satellitesOf(candidate) ?? undefined) : undefined,
      passwordHash: this.hashOf(user) ?? undefined,
      totpSecret: totpSecret ?? undefined,
    })
  }

  /**
   * Null for a hash that we cannot verify, and for a user whose address was never verified there: they may
   * have signed up with another person's address.
   */
  private hashOf({ id, password, isEmailVerified }: ExportedUser): string | null {
    const hash = 'hash' in password ? password.hash : null
    const fault =
      'missing' in password ? password.missing : isEmailVerified ? unusable(password.hash) : NEVER_VERIFIED
    if (hash !== null && fault === null) {
      this.report.hashes.add(schemeOf(hash))
      return hash
    }
    this.report.withoutPassword.add(fault as string)
    if (hash !== null) this.reportLine(`${id} gets no password: ${fault}`)
    return null
  }
}

/** A user who has an address there, and the number of their record in the export. */
interface Claimant {
  readonly user: ExportedUser
  readonly email: string
  readonly number: number
}

/** The record that counts among those with one e-mail address. */
interface Claim {
  readonly number: number
  readonly rank: number
}

/** Which of several users of an export with the same e-mail address gets it. */
class EmailClaims {
  /** By e-mail address. */
  private readonly claims = new Map<string, Claim>()

  add({ user, email, number }: Claimant): void {
    const rank = rankOf(user)
    const claim = this.claims.get(email)
    if (!claim || rank > claim.rank) this.claims.set(email, { number, rank })
  }

  /** Ask when all have been added. */
  isFirst({ email, number }: Claimant): boolean {
    return this.claims.get(email)?.number === number
  }
}

/**
 * A user may have signed up with another person's address, so a verified one counts more, and then one with
 * a password that they can keep. Of equal ones the first counts.
 */
function rankOf({ isEmailVerified, password }: ExportedUser): number {
  if (!isEmailVerified) return 0
  return 'hash' in password && unusable(password.hash) === null ? 2 : 1
}

function unusable(hash: string): string | null {
  try {
    readImportedHash(hash)
    return null
  } catch (error) {
    if (error instanceof UnusableHash) return error.message
    throw error
  }
}

/** `bcrypt`, or the scheme that the text itself names. */
function schemeOf(hash: string): string {
  const [, scheme = ''] = hash.split('$')
  return /^2[aby]$/.test(scheme) ? 'bcrypt' : scheme
}

class ConversionReport {
  readonly hashes = new Tally()
  readonly withoutPassword = new Tally()
  readonly skipped = new Tally()
  readonly lost = new Tally()
  read = 0
  owners = 0
  members = 0
  totpSecrets = 0
  /** Users who shared the ownership of an account there, and become members of it here. */
  secondOwners = 0

  /** Sentences, one per line. */
  lines(): string[] {
    return [
      `${pluralize(this.read, 'user')} read, ${thousands(this.owners + this.members)} written: ` +
        `${pluralize(this.owners, 'owner')} with an account each, ${pluralize(this.members, 'member')}`,
      ...(this.secondOwners > 0
        ? [
            `Additional owners who became members, because an account has one owner: ${thousands(this.secondOwners)}`,
          ]
        : []),
      `Keeping their password: ${this.hashes}`,
      `Without a password, until they ask for a link: ${this.withoutPassword}`,
      `Keeping their authenticator app: ${thousands(this.totpSecrets)}`,
      `Left out: ${this.skipped}`,
      `Could not be carried over: ${this.lost}`,
    ]
  }
}

/** Counts by name, in the order of their first occurrence. */
class Tally {
  private readonly counts = new Map<string, number>()

  add(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  /** `bcrypt (12), argon2id (3)`; `nobody` for nothing. */
  toString(): string {
    const parts = [...this.counts].map(([what, count]) => `${what} (${thousands(count)})`)
    return parts.join(', ') || 'nobody'
  }
}

function thousands(count: number): string {
  return count.toLocaleString('en')
}
