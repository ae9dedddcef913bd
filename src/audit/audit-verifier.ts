import { Injectable } from '@nestjs/common'
import { type ChainHead, EMPTY_CHAIN } from './audit-chain.js'
import { AuditChainLinks, type ChainLink, type Expiry } from './audit-chain-links.js'
import { chainHash } from './audit-hash.js'
import { AuditSealer, type Overdue } from './audit-sealer.js'

/** A head that was recorded earlier, outside this database. */
export interface Checkpoint {
  readonly hash: string
  readonly position?: number
}

export interface Verified {
  readonly sealed: number
  readonly head: ChainHead
  readonly faults: number
}

/** Retention removes what is being read; it runs for some minutes an hour. */
const MAX_ATTEMPTS = 3
/** A table that was replaced has a fault in each of millions of rows. */
const MAX_NAMED = 1_000

/** Checks whether the audit log is unchanged since it was sealed. */
@Injectable()
export class AuditVerifier {
  constructor(
    private readonly links: AuditChainLinks,
    private readonly sealer: AuditSealer,
  ) {}

  /**
   * Seals what is new, then checks the whole chain in pages, again if retention has removed rows meanwhile, and
   * calls `report` with each fault; of links with faults it names the first 1,000. A chain whose end was cut off looks
   * intact from inside; only a head that was `noted` elsewhere reveals it. Changes nothing but seals. A row that was never
   * sealed is sealed and reported once.
   */
  async verify(report: (fault: string) => void, noted?: Checkpoint): Promise<Verified> {
    let overdueFaults = 0
    for (let attempt = 1; ; attempt += 1) {
      const before = await this.links.expiry()
      const overdue = overdueFault(await this.sealer.sealWholeLog())
      // Sealed now, so that another attempt would not find it.
      if (overdue !== null) {
        report(overdue)
        overdueFaults += 1
      }
      const { faults, ...verified } = await this.walk(before, noted)
      const isOvertaken = faults.count > 0 && !isSame(before, await this.links.expiry())
      if (isOvertaken && attempt < MAX_ATTEMPTS) continue
      for (const fault of faults.inWords()) report(fault)
      return { ...verified, faults: faults.count + overdueFaults }
    }
  }

  private async walk({ before }: Expiry, noted?: Checkpoint) {
    const faults = new ChainFaults()
    const verifier = new ChainVerifier()
    let isNotedThere = !noted
    for await (const page of this.links.pages())
      for (const link of page) {
        faults.addLink(verifier.next(link))
        isNotedThere ||= isAt(link, noted as Checkpoint)
      }
    if (!isNotedThere) faults.addWhole(missingFault(noted as Checkpoint))
    faults.addWhole(unannouncedFault(before, verifier.announced))
    return { sealed: verifier.count, head: verifier.head, faults }
  }
}

/** What is wrong with a chain. Keeps the words of the first faults, and counts them all. */
class ChainFaults {
  count = 0
  private readonly links: string[] = []
  private readonly whole: string[] = []

  /** Null, here and below, for no fault. */
  addLink(fault: string | null): void {
    if (fault === null) return
    this.count += 1
    if (this.links.length < MAX_NAMED) this.links.push(fault)
  }

  addWhole(fault: string | null): void {
    if (fault === null) return
    this.count += 1
    this.whole.push(fault)
  }

  inWords(): string[] {
    const unnamed = this.count - this.links.length - this.whole.length
    return [...this.links, ...(unnamed > 0 ? [`and ${unnamed} more rows or seals`] : []), ...this.whole]
  }
}

function isSame(one: Expiry, other: Expiry): boolean {
  return one.before?.getTime() === other.before?.getTime() && one.start === other.start
}

function isAt(link: ChainHead, { hash, position = link.position }: Checkpoint): boolean {
  return link.hash === hash && link.position === position
}

function overdueFault({ count, ids }: Overdue): string | null {
  if (count === 0) return null
  const rest = count > ids.length ? ' and more' : ''
  return `${count} old rows had no seal (ids ${ids.join(', ')}${rest}): they were inserted later, their seals were removed, or the service has not run since`
}

function unannouncedFault(before: Date | null, announced: string | null): string | null {
  if (before === null || before.toISOString() === announced) return null
  return `Rows from before ${before.toISOString()} were removed, of which no row of the log says so: not by the service`
}

function missingFault({ hash, position }: Checkpoint): string {
  const where = position === undefined ? '' : ` at position ${position}`
  return `The head ${hash} is not in the chain${where}: what it stood for was removed or changed`
}

/** Follows the chain from its start and reports what is wrong. One change causes one fault. */
export class ChainVerifier {
  count = 0
  head: ChainHead = EMPTY_CHAIN
  /** Rows from before this time may be missing, according to the newest row about expiry; null when there is none. */
  announced: string | null = null

  /** What is wrong with the next link, in words; null when nothing is. */
  next({ position, auditId, hash, row, isExpired }: ChainLink): string | null {
    const before = this.head
    const isFirst = this.count === 0
    this.head = { position, hash }
    this.count += 1
    if (isExpired && isFirst) return null
    if (position !== before.position + 1)
      return `Position ${position} comes where ${before.position + 1} should: seals were removed between`
    if (isExpired) return null
    if (!row) return `Row ${auditId} (position ${position}) was removed`
    if (chainHash(before.hash, row) !== hash)
      return `Row ${auditId} (position ${position}) or its seal was changed`
    if (row.action === 'audit.expire') this.announced = String(row.detail.before)
    return null
  }
}
