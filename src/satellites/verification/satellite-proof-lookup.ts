import type { Resolver } from 'node:dns/promises'
import { Injectable } from '@nestjs/common'
import { Settings } from '../../platform/config/settings.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import { lookUpTxt, resolverOf } from '../proof/dns-proof.js'
import { fetchProofFile } from '../proof/file-proof.js'
import { hasToken, proofChallenge } from '../proof/proof-challenge.js'
import type { ProofLookup } from '../proof/proof-lookup.js'
import type { AccountActor, RegisteredSatellite } from '../registered-satellite.js'

/** Where a proof can be. */
export type ProofMethod = 'dns' | 'file'

/** The result of looking in both places. */
export interface ProofResult {
  /** Where the token was found; null if nowhere. */
  readonly method: ProofMethod | null
  /** By place; the file is null for preview satellites. */
  readonly lookups: { readonly dns: ProofLookup; readonly file: ProofLookup | null }
}

/** Looks for the proofs of satellites. */
@Injectable()
export class SatelliteProofLookup {
  private readonly resolver: Resolver
  private readonly mayBePrivate: boolean

  constructor(
    { dnsServers, environment }: Settings,
    private readonly rateLimiter: RateLimiter,
  ) {
    this.resolver = resolverOf(dnsServers)
    this.mayBePrivate = environment !== 'production'
  }

  /** Counts a check that somebody requested. Throws `TOO_MANY_ATTEMPTS`; operators are not limited. */
  async count(actor: AccountActor): Promise<void> {
    const { accountId, client } = actor
    if (client) await this.rateLimiter.count({ kind: 'satellite check', subject: accountId, client, actor })
  }

  /** Queries the DNS and the site itself, at the same time; an outage of either is part of the result. */
  async look({ satellite: { origin }, proof: { token } }: RegisteredSatellite): Promise<ProofResult> {
    const challenge = proofChallenge(origin, token)
    const [dns, file] = await Promise.all([
      lookUpTxt(this.resolver, challenge.dns.name),
      challenge.file &&
        fetchProofFile(challenge.file.url, { resolver: this.resolver, mayBePrivate: this.mayBePrivate }),
    ])
    const lookups = { dns, file }
    if (hasToken(dns.texts, token)) return { method: 'dns', lookups }
    return { method: hasToken(file?.texts ?? [], token) ? 'file' : null, lookups }
  }
}

/** The look-ups that were made. */
export function lookupsOf({ lookups: { dns, file } }: ProofResult): ProofLookup[] {
  return file ? [dns, file] : [dns]
}
