import { type ChainHead, type ChainLink, EMPTY_CHAIN } from './audit-chain.js'
import { chainHash } from './audit-hash.js'

/** Follows the chain from its start and reports what is wrong. One change causes one fault. */
export class ChainVerifier {
  count = 0
  head: ChainHead = EMPTY_CHAIN

  /** What is wrong with the next link, in words; null when nothing is. */
  next({ position, auditId, hash, row }: ChainLink): string | null {
    const before = this.head
    this.head = { position, hash }
    this.count += 1
    if (position !== before.position + 1)
      return `Position ${position} comes where ${before.position + 1} should: seals were removed between`
    if (!row) return `Row ${auditId} (position ${position}) was removed`
    if (chainHash(before.hash, row) !== hash)
      return `Row ${auditId} (position ${position}) or its seal was changed`
    return null
  }
}
