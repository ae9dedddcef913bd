import type { AttemptSettings } from '../config/tables/rate-limit-settings.js'
import { blockOf, clientNetworkOf, subnetOf } from '../http/network.js'
import type { Attempt } from './attempt.js'
import { mailboxOf } from './mailbox.js'

/**
 * What attempts are counted by; it is also recorded with a refusal. Networks are IPv4 addresses and IPv6 /64,
 * blocks are IPv6 /56, and neighbourhoods are IPv4 /24 and IPv6 /48.
 */
export type LimitName =
  | 'account and network'
  | 'account and block'
  | 'account and neighbourhood'
  | 'account'
  | 'user'
  | 'session'
  | 'network'
  | 'block'
  | 'neighbourhood'
  | 'origin'
  | 'total'

/** One rule by which an attempt is counted. */
export interface LimitRule {
  readonly limit: LimitName
  /** What identifies the counter, besides its name. */
  readonly of: readonly string[]
  readonly max: number
  readonly windowSeconds: number
  /** Which attempts stay counted once their outcome is known. */
  readonly counts: 'wrong' | 'right' | 'all'
  /**
   * Who is refused when it is full. `strangers`: everybody but known clients. `nobody`: it raises an
   * alarm.
   */
  readonly binds: 'everybody' | 'strangers' | 'nobody'
}

const HOUR_SECONDS = 60 * 60

/** The rules of an attempt, those of one account first. */
export function limitRulesOf(attempt: Attempt, settings: AttemptSettings): LimitRule[] {
  const { subject } = attempt
  const wrong = { windowSeconds: settings.windowSeconds, counts: 'wrong' } as const
  switch (attempt.kind) {
    case 'password':
      return [...passwordRules(attempt, settings), ...loginRules(attempt, settings)]
    case 'session': {
      // Wherever it is used from: only its holder can fill it.
      const max = settings.perAccountAndNetwork
      return [{ ...wrong, limit: 'account', of: [subject], max, binds: 'strangers' }]
    }
    case 'session id':
      return networkRules(attempt, settings.wrongSessionIdsPerNetwork, wrong)
    case 'link':
      return [...networkRules(attempt, settings.perNetwork, wrong), ...alarms(attempt, settings, wrong)]
    case 'mail':
      return mailRules(attempt, settings)
    case 'sent mail':
      return sentMailRules(attempt, settings)
    case 'weak password':
      if (subject === '') return networkRules(attempt, settings.perNetwork, wrong)
      return [{ ...wrong, limit: 'user', of: [subject], max: settings.perNetwork, binds: 'everybody' }]
    case 'write':
      return writeRules(attempt, settings)
    case 'payment request':
      return paymentRequestRules(attempt, settings)
  }
}

function passwordRules(attempt: Attempt, settings: AttemptSettings): LimitRule[] {
  const { perAccountAndNetwork, perAccount, perNetwork, windowSeconds } = settings
  const wrong = { windowSeconds, counts: 'wrong' } as const
  return [
    ...ofSubject(
      attempt,
      {
        network: perAccountAndNetwork,
        // One site must not use up what an account has in all.
        block: Math.max(perAccountAndNetwork, Math.ceil((3 * perAccount) / 10)),
        neighbourhood: Math.max(perAccountAndNetwork, Math.ceil(perAccount / 2)),
        all: perAccount,
      },
      wrong,
    ),
    ...networkRules(attempt, perNetwork, wrong),
    ...alarms(attempt, settings, wrong),
  ]
}

/** Right passwords: each costs a hash, a session and rows that stay. */
function loginRules(attempt: Attempt, { loginsPerAccount, loginsPerNetwork }: AttemptSettings): LimitRule[] {
  const { subject, client } = attempt
  const right = { windowSeconds: HOUR_SECONDS, counts: 'right' } as const
  const ofAccount = { ...right, max: loginsPerAccount }
  return [
    {
      ...ofAccount,
      limit: 'account and network',
      of: [subject, clientNetworkOf(client.ip)],
      binds: 'everybody',
    },
    { ...ofAccount, limit: 'account', of: [subject], binds: 'strangers' },
    ...networkRules(attempt, loginsPerNetwork, right),
  ]
}

/** One stranger must not use up a user's mails for a forgotten password. */
function mailRules(attempt: Attempt, settings: AttemptSettings): LimitRule[] {
  const { mailsPerAddress, mailsPerNetwork } = settings
  const hourly = { windowSeconds: HOUR_SECONDS, counts: 'all' } as const
  const share = {
    network: Math.ceil(mailsPerAddress / 2),
    block: Math.ceil(mailsPerAddress / 2),
    neighbourhood: Math.ceil((2 * mailsPerAddress) / 3),
    all: mailsPerAddress,
  }
  return [
    ...ofSubject({ ...attempt, subject: mailboxOf(attempt.subject) }, share, hourly),
    ...networkRules(attempt, mailsPerNetwork, hourly),
    ...alarms(attempt, settings, hourly),
  ]
}

/** By who sends, not from where: strangers can fill none of these. */
function sentMailRules({ subject, actor }: Attempt, settings: AttemptSettings): LimitRule[] {
  const { mailsPerAddress, mailsPerUser, mailsPerAccount } = settings
  const { userId = '', accountId = '' } = actor ?? {}
  const hourly = { windowSeconds: HOUR_SECONDS, counts: 'all', binds: 'everybody' } as const
  const receiver = mailboxOf(subject)
  return [
    { ...hourly, limit: 'user', of: ['to', receiver], max: mailsPerAddress },
    { ...hourly, limit: 'user', of: ['by', userId], max: mailsPerUser },
    { ...hourly, limit: 'account', of: ['to', receiver, accountId], max: Math.ceil(mailsPerAddress / 2) },
    { ...hourly, limit: 'account', of: ['by', accountId], max: mailsPerAccount },
  ]
}

/** By session first, so that a thief of one session cannot use up its user's share. */
function writeRules({ subject, actor }: Attempt, { writesPerUser }: AttemptSettings): LimitRule[] {
  const hourly = { windowSeconds: HOUR_SECONDS, counts: 'all', binds: 'everybody' } as const
  return [
    { ...hourly, limit: 'session', of: [subject], max: Math.ceil(writesPerUser / 3) },
    { ...hourly, limit: 'user', of: [actor?.userId ?? ''], max: writesPerUser },
  ]
}

/** One member cannot use up what the account has. */
function paymentRequestRules(
  { subject, actor }: Attempt,
  { paymentRequestsPerUser, paymentRequestsPerAccount }: AttemptSettings,
): LimitRule[] {
  const hourly = { windowSeconds: HOUR_SECONDS, counts: 'all', binds: 'everybody' } as const
  return [
    { ...hourly, limit: 'user', of: [subject], max: paymentRequestsPerUser },
    { ...hourly, limit: 'account', of: [actor?.accountId ?? ''], max: paymentRequestsPerAccount },
  ]
}

type Counting = Pick<LimitRule, 'windowSeconds' | 'counts'>

/** Shares of one subject's limit, by network, block and neighbourhood. */
function ofSubject(
  { subject, client: { ip } }: Attempt,
  max: Readonly<Record<'network' | 'block' | 'neighbourhood' | 'all', number>>,
  counting: Counting,
): LimitRule[] {
  const block = blockOf(ip)
  const near = { ...counting, binds: 'everybody' } as const
  return [
    { ...near, limit: 'account and network', of: [subject, clientNetworkOf(ip)], max: max.network },
    ...(block === null
      ? []
      : [{ ...near, limit: 'account and block', of: [subject, block], max: max.block } as const]),
    {
      ...near,
      limit: 'account and neighbourhood',
      of: [subject, subnetOf(ip)],
      max: max.neighbourhood,
    },
    { ...counting, limit: 'account', of: [subject], max: max.all, binds: 'strangers' },
  ]
}

/**
 * An IPv6 site has 65,536 networks, but must not have 65,536 times the limit. The neighbours of an IPv4
 * address are other people.
 */
function networkRules({ client: { ip } }: Attempt, max: number, counting: Counting): LimitRule[] {
  const rule = { ...counting, binds: 'strangers' } as const
  const network: LimitRule = { ...rule, limit: 'network', of: [clientNetworkOf(ip)], max }
  const block = blockOf(ip)
  if (block === null) return [network]
  return [
    network,
    { ...rule, limit: 'block', of: [block], max: 2 * max },
    { ...rule, limit: 'neighbourhood', of: [subnetOf(ip)], max: 4 * max },
  ]
}

/** Everybody shares them, so they refuse nobody: whoever filled them would lock everybody out. */
function alarms({ client }: Attempt, { perOrigin, total }: AttemptSettings, counting: Counting): LimitRule[] {
  const rule = { ...counting, binds: 'nobody' } as const
  return [
    // Without an Origin (mobile apps, servers) they count together, as if that were one.
    { ...rule, limit: 'origin', of: [client.origin ?? ''], max: perOrigin },
    { ...rule, limit: 'total', of: [], max: total },
  ]
}
