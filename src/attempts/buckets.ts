import { createHash } from 'node:crypto'
import type { AttemptSettings } from '../config/attempt-settings.js'
import type { Attempt } from './attempt.js'
import { clientNetworkOf, neighbourhoodOf } from './network.js'

/** What attempts are counted by; stands in the audit log. */
export type LimitName =
  | 'account and network'
  | 'account and neighbourhood'
  | 'account'
  | 'network'
  | 'origin'
  | 'total'

/** One counter that an attempt goes into. */
export interface Bucket {
  readonly limit: LimitName
  /** Of the counter. Holds no e-mail: the counters are kept where everybody with access to Redis can read them. */
  readonly key: string
  readonly most: number
  readonly windowSeconds: number
  /** Is of one account: a right guess empties it, and until then its window doubles each time that it was full. */
  readonly isOfAccount: boolean
  /** Holds for familiar clients too. */
  readonly isForFamiliar: boolean
}

const HOUR_SECONDS = 60 * 60

/** The buckets of an attempt; which these are tells nothing about whether there is such a user. */
export function bucketsOf(attempt: Attempt, settings: AttemptSettings): Bucket[] {
  const { kind, subject, client } = attempt
  const network = clientNetworkOf(client.ip)
  const bucket = (limit: LimitName, most: number, ...of: string[]): Bucket => ({
    limit,
    key: `${kind}:${limit.replaceAll(' ', '-')}:${digest(of)}`,
    most,
    windowSeconds: kind === 'mail' ? HOUR_SECONDS : settings.windowSeconds,
    isOfAccount: (kind === 'password' || kind === 'session') && limit.startsWith('account'),
    isForFamiliar: limit === 'account and network' || limit === 'account and neighbourhood',
  })
  // Wherever it is used from: nobody but its holder can fill it.
  if (kind === 'session') return [bucket('account', settings.perAccountAndNetwork, subject)]
  const { perAccountAndNetwork, perNeighbourhood, perAccount, perNetwork } = limitsOf(kind, settings)
  const ofAccount = [
    bucket('account and network', perAccountAndNetwork, subject, network),
    bucket('account and neighbourhood', perNeighbourhood, subject, neighbourhoodOf(client.ip)),
    bucket('account', perAccount, subject),
  ]
  return [
    ...(subject === '' ? [] : ofAccount),
    bucket('network', perNetwork, network),
    // Without an Origin (mobile apps, servers) they count together, as if that were one.
    bucket('origin', settings.perOrigin, client.origin ?? ''),
    bucket('total', settings.total),
  ]
}

function limitsOf(kind: Attempt['kind'], settings: AttemptSettings) {
  if (kind !== 'mail') return { ...settings, perNeighbourhood: settings.perAccount }
  const { mailsPerAddress, mailsPerNetwork } = settings
  return {
    // One stranger must not use up what a user has for a forgotten password.
    perAccountAndNetwork: Math.ceil(mailsPerAddress / 2),
    perNeighbourhood: Math.ceil((2 * mailsPerAddress) / 3),
    perAccount: mailsPerAddress,
    perNetwork: mailsPerNetwork,
  }
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
}
