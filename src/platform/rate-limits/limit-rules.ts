import { createHash } from 'node:crypto'
import type { Actor } from '../audit/audit-event.js'
import type { RateLimitSettings } from '../config/tables.js'
import { blockOf, type Client, clientNetworkOf, subnetOf } from '../http/request.js'
import type { Source } from '../permissions.js'

/** What is limited; each kind has its own counters. */
export const LIMITED_KINDS = [
  // Guesses at secrets.
  'password',
  'passkey', // at the signatures of a credential
  'session', // at the password, from one live session; counted when strangers have filled its user's limits
  'session id', // at refresh
  'link',
  'sign-up password', // with the link of the sign-up
  // Mails.
  'mail', // requested without a login
  'sent mail', // caused by a logged-in user
  'privilege notice', // to the administrators of an account, about who may do what
  // Work.
  'weak password', // its strength is expensive to measure
  'write', // a change by a logged-in user
  'containment', // a change by which a user contains damage
  'handoff', // opens a session on a satellite
  'payment request', // calls the payment provider
  'payment status', // the same, for a user who may not pay
  'satellite check', // queries servers that a user has named
  'operator read', // shows users in the console
  'operator change',
] as const
export type LimitedKind = (typeof LIMITED_KINDS)[number]

/** A user, or an operator. `source` is that of the session they act in, where it matters. */
export type LimitedActor = Pick<Actor, 'userId' | 'accountId' | 'operator'> & { readonly source?: Source }

/** Something whose frequency is limited: on whose behalf, and from where. */
export interface LimitedAction {
  readonly kind: LimitedKind
  /**
   * The canonical e-mail address, whether or not it has a user; the id of a credential; a session handle; or
   * a user id. Empty when there is none.
   */
  readonly subject: string
  readonly client: Client
  /** Absent without a login. */
  readonly actor?: LimitedActor
  /** Of a `sent mail`: whether it is about the user who causes it, so that any member may. */
  readonly isAboutOneself?: boolean
}

/** One rule by which an action is limited. */
interface LimitRule {
  /**
   * What is counted together; recorded with a refusal, as `limit`. Networks are IPv4 addresses and IPv6 /64,
   * blocks are IPv6 /56, and subnets are IPv4 /24 and IPv6 /48.
   */
  readonly scope:
    | `account${'' | ' and network' | ' and block' | ' and subnet'}`
    | 'user'
    | 'session'
    | 'network'
    | 'block'
    | 'subnet'
    | 'origin'
    | 'total'
  /** What identifies the counter, besides its name. */
  readonly ids: readonly string[]
  readonly max: number
  readonly windowSeconds: number
  /** Which actions stay counted once their outcome is known. */
  readonly counts: 'wrong' | 'right' | 'all'
  /** Who is refused when it is full. `strangers`: all but known clients. `nobody`: it only raises an alarm. */
  readonly refuses: 'everybody' | 'strangers' | 'nobody'
}

type Counting = Pick<LimitRule, 'windowSeconds' | 'counts'>

const HOUR_SECONDS = 60 * 60
/** After three mails about the same user's permissions within an hour, more tell the owner nothing new. */
const MAX_PERMISSION_NOTICES = 3
/** Nobody changes their address more often in an hour. */
const OWN_MAILS = 6
/** From however many networks. */
const SIGN_UP_GUESSES = 20
/** Ten a minute on average: a stolen operator login must not be able to list everybody. */
const OPERATOR_READS = 600
/** Each takes a reason and a click. Larger changes are for the command line. */
const OPERATOR_CHANGES = 120
/** The longest window that doubling leads to (NIST SP 800-63B §3.2.2: "up to an hour"). */
const MAX_WINDOW_SECONDS = HOUR_SECONDS
/** How long to remember how often a bucket was full. */
const TIMES_FULL_SECONDS = 24 * HOUR_SECONDS
const HOURLY = { windowSeconds: HOUR_SECONDS, counts: 'all', refuses: 'everybody' } as const

/** Operators have their own limits, both individually and together. */
function limitedAs({ userId = '', accountId = '', operator }: LimitedActor) {
  return operator ? { userId: operator.id ?? '', accountId: 'operators' } : { userId, accountId }
}

/** One counter that an action is counted in. */
export interface Bucket extends LimitRule {
  /** Its name. Contains no e-mail address, because everybody with access to Redis can read it. */
  readonly key: string
  /** Whether a right guess resets it. Until then its window doubles each time it fills up. */
  readonly isOfAccount: boolean
}

/**
 * The buckets of an action, those of one account first. They do not depend on whether the user exists.
 * docs/reliability.md lists them.
 */
export function bucketsOf(action: LimitedAction, settings: RateLimitSettings): Bucket[] {
  const { kind } = action
  const isDoubling = kind === 'password' || kind === 'session'
  return rulesOf(action, settings).map(rule => ({
    ...rule,
    key: [kind, ...(rule.counts === 'right' ? ['right'] : []), rule.scope, digest(rule.ids)]
      .join(':')
      .replaceAll(' ', '-'),
    isOfAccount: isDoubling && rule.counts === 'wrong' && rule.scope.startsWith('account'),
  }))
}

/** Whether anybody is refused when it is full. Otherwise it only raises an alarm. */
export function mayRefuse({ refuses }: LimitRule): boolean {
  return refuses !== 'nobody'
}

/** The counter of how often this one was full. */
export function timesFullOf(bucket: Bucket): Bucket {
  const key = `${bucket.key}:offences`
  return { ...bucket, key, windowSeconds: TIMES_FULL_SECONDS, refuses: 'nobody', isOfAccount: false }
}

/** How long it lives after its first count: doubled for each time that it was full, up to an hour. */
export function windowSecondsOf({ windowSeconds, isOfAccount }: Bucket, timesFull: number): number {
  if (!isOfAccount) return windowSeconds
  return Math.max(windowSeconds, Math.min(windowSeconds * 2 ** timesFull, MAX_WINDOW_SECONDS))
}

/** The rules of an action, those of one account first. They do not depend on whether the user exists. */
function rulesOf(action: LimitedAction, settings: RateLimitSettings): LimitRule[] {
  const { kind, subject, actor } = action
  const { userId, accountId } = limitedAs(actor ?? {})
  const wrong = { windowSeconds: settings.windowSeconds, counts: 'wrong' } as const
  switch (kind) {
    case 'password':
    case 'passkey':
      return [...passwordRules(action, settings, wrong), ...loginRules(action, settings)]
    case 'session':
      // Wherever it is used from: only the holder of the session can fill it.
      return [
        {
          ...wrong,
          scope: 'account',
          ids: [subject],
          max: settings.perAccountAndNetwork,
          refuses: 'strangers',
        },
      ]
    case 'session id':
      return networkRules(action, settings.wrongSessionIdsPerNetwork, wrong)
    case 'link':
      return [...networkRules(action, settings.perNetwork, wrong), ...alarms(action, settings, wrong)]
    case 'mail':
      return mailRules({ ...action, subject: mailboxOf(subject) }, settings)
    case 'sent mail':
      return [
        ...sentMailRules({ recipient: mailboxOf(subject), userId, accountId }, settings),
        // Members who may do nothing else must not use up the mails of those who manage their account.
        action.isAboutOneself
          ? { ...HOURLY, scope: 'user', ids: ['about oneself', userId], max: OWN_MAILS }
          : { ...HOURLY, scope: 'account', ids: ['by', accountId], max: settings.mailsPerAccount },
      ]
    case 'sign-up password':
      // For as long as the link is good: a reader of the mail must not find the password by trying.
      return [
        {
          scope: 'user',
          ids: [subject],
          max: SIGN_UP_GUESSES,
          windowSeconds: 24 * HOUR_SECONDS,
          counts: 'wrong',
          refuses: 'everybody',
        },
      ]
    case 'privilege notice':
      return [{ ...HOURLY, scope: 'user', ids: [subject], max: MAX_PERMISSION_NOTICES }]
    case 'weak password':
      if (subject === '') return networkRules(action, settings.perNetwork, wrong)
      return [{ ...wrong, scope: 'user', ids: [subject], max: settings.perNetwork, refuses: 'everybody' }]
    case 'write':
      return writeRules(subject, actor, settings)
    case 'containment':
      // No sum over sessions: an attacker who holds one must not keep its user from containing what they did.
      return [{ ...HOURLY, scope: 'session', ids: [subject], max: oneSession(settings) }]
    case 'handoff':
      return [
        { ...HOURLY, scope: 'session', ids: [subject], max: Math.ceil(settings.handoffsPerUser / 2) },
        { ...HOURLY, scope: 'user', ids: [userId], max: settings.handoffsPerUser },
      ]
    case 'payment request':
      // So that one member cannot use up the account's share.
      return [
        { ...HOURLY, scope: 'user', ids: [subject], max: settings.paymentRequestsPerUser },
        { ...HOURLY, scope: 'account', ids: [accountId], max: settings.paymentRequestsPerAccount },
      ]
    case 'payment status':
      // Satellites can ask on behalf of their users, so these take no places of those who may pay.
      return [
        { ...HOURLY, scope: 'user', ids: [subject], max: Math.ceil(settings.paymentRequestsPerUser / 2) },
        { ...HOURLY, scope: 'account', ids: [accountId], max: settings.paymentRequestsPerUser },
      ]
    case 'satellite check':
      return [{ ...HOURLY, scope: 'account', ids: [subject], max: settings.satelliteChecksPerAccount }]
    case 'operator read':
      return [{ ...HOURLY, scope: 'user', ids: [subject], max: OPERATOR_READS }]
    case 'operator change':
      return [{ ...HOURLY, scope: 'user', ids: [subject], max: OPERATOR_CHANGES }]
  }
}

/**
 * Per session as well, so that an attacker with one session cannot use up its user's share; and apart for satellites
 * and apps, of which that attacker can open as many as there are hand-offs.
 */
function writeRules(sid: string, actor: LimitedActor = {}, settings: RateLimitSettings): LimitRule[] {
  const { userId = '', source = 'main' } = actor
  const most = source === 'main' ? settings.writesPerUser : oneSession(settings)
  return [
    { ...HOURLY, scope: 'session', ids: [sid], max: oneSession(settings) },
    { ...HOURLY, scope: 'user', ids: [userId, source], max: most },
  ]
}

/** How many changes one session may make. */
function oneSession({ writesPerUser }: RateLimitSettings): number {
  return Math.ceil(writesPerUser / 3)
}

function passwordRules(action: LimitedAction, settings: RateLimitSettings, wrong: Counting): LimitRule[] {
  const { perAccountAndNetwork, perAccount } = settings
  const max = {
    network: perAccountAndNetwork,
    // One site must not use up the whole limit of an account.
    block: Math.max(perAccountAndNetwork, Math.ceil((3 * perAccount) / 10)),
    subnet: Math.max(perAccountAndNetwork, Math.ceil(perAccount / 2)),
    all: perAccount,
  }
  return [
    ...accountRules(action, max, wrong),
    ...networkRules(action, settings.perNetwork, wrong),
    ...alarms(action, settings, wrong),
  ]
}

/** Right passwords: each costs a hash, a session and permanent rows. */
function loginRules(action: LimitedAction, settings: RateLimitSettings): LimitRule[] {
  const right = { windowSeconds: HOUR_SECONDS, counts: 'right' } as const
  const all = settings.loginsPerAccount
  const max = { network: all, block: 2 * all, subnet: 4 * all, all }
  return [...accountRules(action, max, right), ...networkRules(action, settings.loginsPerNetwork, right)]
}

/** One stranger must not use up a user's password-reset mails. */
function mailRules(action: LimitedAction, settings: RateLimitSettings): LimitRule[] {
  const all = settings.mailsPerAddress
  const half = Math.ceil(all / 2)
  const max = { network: half, block: half, subnet: Math.ceil((2 * all) / 3), all }
  return [
    ...accountRules(action, max, HOURLY),
    ...networkRules(action, settings.mailsPerNetwork, HOURLY),
    ...alarms(action, settings, HOURLY),
  ]
}

/** By sender, not by network: strangers cannot fill any of these. */
function sentMailRules(
  { recipient, userId, accountId }: Readonly<Record<'recipient' | 'userId' | 'accountId', string>>,
  { mailsPerAddress, mailsPerUser }: RateLimitSettings,
): LimitRule[] {
  return [
    { ...HOURLY, scope: 'user', ids: ['to', recipient], max: mailsPerAddress },
    { ...HOURLY, scope: 'user', ids: ['by', userId], max: mailsPerUser },
    { ...HOURLY, scope: 'account', ids: ['to', recipient, accountId], max: Math.ceil(mailsPerAddress / 2) },
  ]
}

/** Portions of one subject's limit, by network, block and subnet. */
function accountRules(
  { subject, client: { ip } }: LimitedAction,
  max: Readonly<Record<'network' | 'block' | 'subnet' | 'all', number>>,
  counting: Counting,
): LimitRule[] {
  const near = { ...counting, refuses: 'everybody' } as const
  const block = blockOf(ip)
  const inBlock = { scope: 'account and block', ids: [subject, block ?? ''], max: max.block } as const
  return [
    { ...near, scope: 'account and network', ids: [subject, clientNetworkOf(ip)], max: max.network },
    ...(block === null ? [] : [{ ...near, ...inBlock }]),
    { ...near, scope: 'account and subnet', ids: [subject, subnetOf(ip)], max: max.subnet },
    { ...counting, scope: 'account', ids: [subject], max: max.all, refuses: 'strangers' },
  ]
}

// An IPv6 site has 65,536 networks, but must not get as many limits. The neighbours of an IPv4 address are
// other people.
function networkRules({ client: { ip } }: LimitedAction, max: number, counting: Counting): LimitRule[] {
  const rule = { ...counting, refuses: 'strangers' } as const
  const network: LimitRule = { ...rule, scope: 'network', ids: [clientNetworkOf(ip)], max }
  const block = blockOf(ip)
  if (block === null) return [network]
  return [
    network,
    { ...rule, scope: 'block', ids: [block], max: 2 * max },
    { ...rule, scope: 'subnet', ids: [subnetOf(ip)], max: 4 * max },
  ]
}

/** Everybody shares these, so they refuse nobody: an attacker who filled them would lock everybody out. */
function alarms({ client }: LimitedAction, settings: RateLimitSettings, counting: Counting): LimitRule[] {
  const rule = { ...counting, refuses: 'nobody' } as const
  return [
    // Clients without an Origin (mobile apps, servers) are counted together, as one origin.
    { ...rule, scope: 'origin', ids: [client.origin ?? ''], max: settings.perOrigin },
    { ...rule, scope: 'total', ids: [], max: settings.total },
  ]
}

/** Most mail servers deliver `rosa+anything@` to rosa, so mails to both count towards one mailbox. */
function mailboxOf(email: string): string {
  return email.replace(/\+[^@]*(?=@)/, '')
}

function digest(ids: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(ids)).digest('base64url').slice(0, 22)
}
