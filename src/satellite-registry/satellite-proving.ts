import type { Resolver } from 'node:dns/promises'
import { Injectable } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { lookUpTxt, resolverOf } from '../satellites/proof/dns-proof.js'
import { fetchProofFile } from '../satellites/proof/file-proof.js'
import { hasToken, proofChallenge } from '../satellites/proof/proof-challenge.js'
import type { ProofLookup } from '../satellites/proof/proof-lookup.js'
import type { RegisteredSatellite } from './registered-satellites.js'

/** What a look at both places found. */
export interface ProofResult {
  /** Where the token was; null when it was nowhere. */
  readonly method: 'dns' | 'file' | null
  readonly lookups: readonly ProofLookup[]
}

/** Looks for the proofs of satellites. */
@Injectable()
export class SatelliteProving {
  private readonly resolver: Resolver
  private readonly mayBePrivate: boolean

  constructor({ dnsServers, environment }: Settings) {
    this.resolver = resolverOf(dnsServers)
    this.mayBePrivate = environment !== 'production'
  }

  /** Asks the DNS and the site itself, at once; an outage of either is in what was found. */
  async look({ satellite: { origin }, proof: { token } }: RegisteredSatellite): Promise<ProofResult> {
    const { dns, file } = proofChallenge(origin, token)
    const [record, content] = await Promise.all([
      lookUpTxt(this.resolver, dns.name),
      file && fetchProofFile(file.url, { resolver: this.resolver, mayBePrivate: this.mayBePrivate }),
    ])
    const lookups = content ? [record, content] : [record]
    if (hasToken(record.texts, token)) return { method: 'dns', lookups }
    if (content && hasToken(content.texts, token)) return { method: 'file', lookups }
    return { method: null, lookups }
  }
}
