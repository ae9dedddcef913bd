import type { Clock } from '../../../clock/clock.js'
import { canonicalEmail } from '../../email.js'
import { isName } from '../../name-text.js'
import { readImportedHash, UnusableHash } from '../../passwords/imported-hash.js'
import { usableTotpSecret } from '../imported-user.js'
import { ConversionReport } from './conversion-report.js'
import type { ExportedUser, ExportFiles, ExportFormat, ExportRecord } from './export-format.js'
import { recordsOf } from './export-records.js'
import { mappedPermissions, meets, type UserMapping, valuesAt } from './user-mapping.js'

/** Called with each line of the file for `users:import`. */
type Write = (line: string) => Promise<void>
type Tell = (sentence: string) => void

/** A user with the account that the mapping gives them; null where everybody has their own. */
interface Candidate {
  readonly user: ExportedUser
  readonly record: ExportRecord
  readonly email: string
  readonly account: string | null
}

/**
 * Converts another system's export into lines for `users:import`. Reads the files twice, because owners come
 * before the members of their accounts. Keeps the e-mail addresses, the accounts and the second file in
 * memory.
 */
export class ExportConversion {
  private readonly report = new ConversionReport()
  private readonly emails = new Set<string>()
  /** The owner of each account, by e-mail address. */
  private readonly owners = new Map<string, string>()

  constructor(
    private readonly format: ExportFormat,
    private readonly mapping: UserMapping,
    private readonly write: Write,
    private readonly tell: Tell,
    private readonly clock: Clock,
  ) {}

  /** Throws an {@link ExportError} when a file is not in the expected format. */
  async run(files: ExportFiles): Promise<ConversionReport> {
    const read = this.format.reader(files.hashConfig, this.clock.now())
    const others = await this.othersOf(files)
    for (const isOwners of [true, false]) {
      for await (const record of recordsOf(this.format.files, files.users)) {
        // For fields in both, the first file is newer: nobody must get an address that they have since given up.
        const whole = { ...others.get(this.format.join?.keyOf(record) ?? ''), ...record }
        const user = read(whole)
        if (isOwners) await this.writeOwner(user, whole)
        else await this.writeMember(user, whole)
      }
      // In the second pass every address occurs again.
      if (isOwners) this.emails.clear()
    }
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

  private async writeOwner(user: ExportedUser, record: ExportRecord): Promise<void> {
    this.report.read += 1
    const candidate = this.candidateOf(user, record, fault => {
      this.report.skipped.add(fault)
      this.tell(`${user.id} is left out: ${fault}`)
    })
    if (!candidate || !this.isOwner(candidate)) return
    const { account, email } = candidate
    if (account !== null) {
      if (this.owners.has(account)) return
      this.owners.set(account, email)
    }
    this.report.owners += 1
    await this.write(this.lineFor(candidate, 'owner'))
  }

  private async writeMember(user: ExportedUser, record: ExportRecord): Promise<void> {
    // Reported in the first pass.
    const candidate = this.candidateOf(user, record, () => {})
    const { account = null, email = '' } = candidate ?? {}
    if (!candidate || account === null) return
    const owner = this.owners.get(account)
    if (owner === email) return
    if (owner === undefined) {
      this.report.skipped.add(NO_OWNER)
      return this.tell(`${user.id} is left out: ${NO_OWNER}`)
    }
    if (this.isOwner(candidate)) this.report.secondOwners += 1
    this.report.members += 1
    await this.write(this.lineFor(candidate, 'member'))
  }

  private isOwner({ account, record }: Candidate): boolean {
    return account === null || meets(record, this.mapping.owner)
  }

  private candidateOf(
    user: ExportedUser,
    record: ExportRecord,
    refuse: (fault: string) => void,
  ): Candidate | null {
    const email = user.email && canonicalEmail(user.email)
    if (!email) return refused(refuse, 'no e-mail address')
    if (user.isBlocked) return refused(refuse, 'blocked or deleted there')
    if (this.emails.has(email)) return refused(refuse, 'e-mail address of another')
    this.emails.add(email)
    const { account: path } = this.mapping
    const [account = null] = path === null ? [] : valuesAt(record, path).map(String)
    if (path !== null && account === null) return refused(refuse, 'no account')
    return { user, record, email, account }
  }

  private lineFor({ user, record, email, account }: Candidate, role: 'owner' | 'member'): string {
    for (const thing of user.lost) this.report.lost.add(thing)
    const totpSecret = user.isEmailVerified && user.totpSecret ? usableTotpSecret(user.totpSecret) : null
    if (totpSecret !== null) this.report.totpSecrets += 1
    else if (user.totpSecret !== null) this.report.lost.add('an authenticator app')
    const { satellites } = this.mapping
    return JSON.stringify({
      email,
      role,
      name: isName(user.name) ? user.name : undefined,
      account: account ?? undefined,
      permissions: role === 'member' ? mappedPermissions(record, this.mapping) : undefined,
      satellites: role === 'member' && satellites !== null ? valuesAt(record, satellites) : undefined,
      passwordHash: this.hashOf(user) ?? undefined,
      totpSecret: totpSecret ?? undefined,
    })
  }

  /**
   * Null for a hash that we cannot verify, and for a user whose address was never verified there: they may
   * have signed up with somebody else's address.
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
    if (hash !== null) this.tell(`${id} gets no password: ${fault}`)
    return null
  }
}

const NO_OWNER = 'account without an owner'
const NEVER_VERIFIED = 'address never verified'

function refused(refuse: (fault: string) => void, fault: string): null {
  refuse(fault)
  return null
}

/** Why a hash cannot be kept; null when it can. */
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
