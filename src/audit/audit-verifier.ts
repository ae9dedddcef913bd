import { Injectable } from '@nestjs/common'
import { AuditChain, type ChainHead, type ChainLink, EMPTY_CHAIN } from './audit-chain.js'
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

/** Checks whether the audit log is unchanged since it was sealed. */
@Injectable()
export class AuditVerifier {
  constructor(
    private readonly chain: AuditChain,
    private readonly sealer: AuditSealer,
  ) {}

  /**
   * Seals what is new, then checks the whole chain in pages, and calls `report` with each fault. A chain whose
   * end was cut off looks intact from inside; only a head that was `noted` elsewhere reveals it. Changes nothing
   * but seals. A row that was never sealed is sealed and reported once.
   */
  async verify(report: (fault: string) => void, noted?: Checkpoint): Promise<Verified> {
    let faults = 0
    const tell = (fault: string | null) => {
      if (fault === null) return
      faults += 1
      report(fault)
    }
    tell(overdueFault(await this.sealer.sealWholeLog()))
    const walk = new ChainVerifier()
    let isNotedThere = !noted
    for await (const page of this.chain.pages())
      for (const link of page) {
        tell(walk.next(link))
        isNotedThere ||= isAt(link, noted as Checkpoint)
      }
    if (!isNotedThere) tell(missingFault(noted as Checkpoint))
    tell(unannouncedFault(await this.chain.expiredBefore(), walk.announced))
    return { sealed: walk.count, head: walk.head, faults }
  }
}

function isAt(link: ChainHead, { hash, position = link.position }: Checkpoint): boolean {
  return link.hash === hash && link.position === position
}

function overdueFault({ count, ids }: Overdue): string | null {
  if (count === 0) return null
  const rest = count > ids.length ? ' and more' : ''
  return `${count} old rows had no seal (ids ${ids.join(', ')}${rest}): they were slipped in, their seals were removed, or the service has not run since`
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
