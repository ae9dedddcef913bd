import { type AuditAction, isAuditAction } from '../platform/audit/audit-event.js'
import { type AuditRow, canonicalRow } from './chain.js'

/** The version of the Open Cybersecurity Schema Framework (schema.ocsf.io) that events are written in. */
export const OCSF_VERSION = '1.3.0'

/** The seal of a row, as it is exported; null while it has none. */
interface ExportedSeal {
  readonly position: number
  readonly previous: string
  readonly hash: string
}

/** A row of the audit log with what an export adds to it. */
export interface RowToExport {
  readonly row: AuditRow
  /** The address of the user whom it concerns; null when there is none. */
  readonly email: string | null
  readonly seal: ExportedSeal | null
}

const PRODUCT = { name: 'Mainstay', vendor_name: 'Mainstay' }
const SERVICE = { name: 'mainstay' }

/** For actions that another version wrote. */
const UNKNOWN_KIND: OcsfKind = { class: 'apiActivity', activity: { other: 'Unknown' } }

/**
 * The row as an event of OCSF. `raw_data` is the text that its seal covers; what the schema has no place for is in
 * `unmapped`.
 */
export function ocsfEvent({ row, email, seal }: RowToExport): Record<string, unknown> {
  const { id, at, action, outcome, accountId, requestId, detail, origin } = row
  const kind = isAuditAction(action) ? OCSF_KINDS[action] : UNKNOWN_KIND
  return {
    ...classificationOf(kind.class, activityOf(kind, row)),
    ...severityOf(kind, row),
    ...statusOf(kind, row),
    time: at.getTime(),
    message: `${action} ${outcome}`,
    metadata: {
      version: OCSF_VERSION,
      product: PRODUCT,
      log_name: 'audit_log',
      uid: String(id),
      event_code: action,
      ...(accountId && { tenant_uid: accountId }),
      ...(requestId && { correlation_uid: requestId }),
      ...(seal && { sequence: seal.position }),
    },
    ...contentsOf(kind, row, email),
    raw_data: canonicalRow(row),
    unmapped: { detail, ...(origin && { origin }), ...(seal && { seal }) },
  }
}

/**
 * Permissions are set as a whole: if any remain, they count as assigned, otherwise as revoked. The row of a refused
 * change does not say which they were to be.
 */
function activityOf(kind: OcsfKind, { action, outcome, detail }: AuditRow): OcsfActivity {
  if (kind.class !== 'userAccess' || outcome !== 'ok') return kind.activity
  return privilegesOf(action as AuditAction, detail).length > 0 ? 'Assign Privileges' : 'Revoke Privileges'
}

function severityOf(kind: OcsfKind, { outcome }: AuditRow) {
  if (kind.class === 'finding') return { severity_id: 4, severity: 'High' }
  return outcome === 'ok'
    ? { severity_id: 1, severity: 'Informational' }
    : { severity_id: 2, severity: 'Low' }
}

/** The status of a finding says what has become of it since. */
function statusOf(kind: OcsfKind, { outcome, detail }: AuditRow) {
  if (kind.class === 'finding') return { status_id: 1, status: 'New' }
  return {
    ...(outcome === 'ok' ? { status_id: 1, status: 'Success' } : { status_id: 2, status: 'Failure' }),
    status_code: outcome,
    ...(typeof detail.reason === 'string' && { status_detail: detail.reason }),
  }
}

function contentsOf(kind: OcsfKind, row: AuditRow, email: string | null): Record<string, unknown> {
  const user = userOf(row, email)
  const actor = actorOf(row, email)
  const client = clientOf(row)
  switch (kind.class) {
    case 'finding':
      return { finding_info: findingOf(row), evidences: [{ actor, ...client.src }] }
    case 'authentication':
      return {
        user,
        actor,
        service: SERVICE,
        is_remote: true,
        ...(row.sid && { session: { uid: row.sid } }),
        ...isMultiFactor(row),
        ...client.src,
        ...client.request,
      }
    case 'accountChange':
      return { user, actor, ...client.src, ...client.request }
    case 'userAccess':
      return {
        user,
        actor,
        privileges: privilegesOf(row.action as AuditAction, row.detail),
        ...client.src,
        ...client.request,
      }
    case 'entityManagement':
      return { entity: entityOf(kind, row), actor, ...client.src, ...client.request }
    case 'apiActivity':
      return {
        actor,
        api: { operation: row.action, service: SERVICE },
        src_endpoint: client.src.src_endpoint ?? { svc_name: SERVICE.name },
        ...client.request,
      }
  }
}

function clientOf({ ip, userAgent, requestId }: AuditRow) {
  return {
    src: ip ? { src_endpoint: { ip } } : {},
    request: userAgent
      ? { http_request: { user_agent: userAgent, ...(requestId && { uid: requestId }) } }
      : {},
  }
}

function isMultiFactor({ detail: { methods } }: AuditRow) {
  if (!Array.isArray(methods)) return {}
  return { is_mfa: methods.length > 1 }
}

/** Its own id if the row names one, otherwise that of its account. */
function entityOf({ entity = 'entity' }: OcsfKind, { detail, accountId, id }: AuditRow) {
  const named = [detail.satellite, detail.id, detail.subscription, detail.checkout, detail.customer]
  const uid = named.find(value => typeof value === 'string') ?? accountId ?? String(id)
  const name = [detail.origin, detail.name, detail.subject, detail.email].find(
    value => typeof value === 'string',
  )
  return { uid, type_id: 99, type: entity, ...(name !== undefined && { name }) }
}

/** The `type_id` of a regular user, and of an unknown one. */
const KNOWN_USER = 1
const UNKNOWN_USER = 0

/** Whom a row concerns: the user, or the address that was tried. */
function userOf({ userId, accountId, detail }: AuditRow, email: string | null) {
  if (userId)
    return {
      uid: userId,
      type_id: KNOWN_USER,
      ...(email && { name: email, email_addr: email }),
      ...(accountId && { org: { uid: accountId } }),
    }
  const tried = typeof detail.email === 'string' ? detail.email : null
  return tried
    ? { name: tried, email_addr: tried, type_id: UNKNOWN_USER }
    : { name: 'unknown', type_id: UNKNOWN_USER }
}

/** Who did it: another user, the user themselves, or, without a request, an operator or the service itself. */
function actorOf(row: AuditRow, email: string | null) {
  const { userId, sid, ip, detail } = row
  if (typeof detail.by === 'string') return { user: { uid: detail.by, type_id: KNOWN_USER } }
  if (!ip) return { app_name: 'mainstay' }
  if (!userId) return { user: userOf(row, email) }
  return { user: userOf(row, email), ...(sid && { session: { uid: sid } }) }
}

/** The permissions that a user has now, or the satellites that they may use. */
function privilegesOf(action: AuditAction, detail: AuditRow['detail']): string[] {
  if (action === 'satellites.change') return namesIn(detail.satellites, 'every satellite')
  return namesIn(detail.granted ?? detail.permissions, 'everything')
}

/** The names in a list, or those that are true in an object; null stands for `all`. */
function namesIn(value: unknown, all: string): string[] {
  if (value === null) return [all]
  if (Array.isArray(value)) return value.map(String)
  if (typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, isGranted]) => (isGranted === true ? [name] : []))
}

const TITLES: Readonly<Partial<Record<string, string>>> = {
  'session.anomaly': 'Unusual login or refresh',
  'handoff.replay': 'A hand-off code was used a second time',
  'passkey.counter': 'A passkey may have been copied',
}

/** What was noticed. */
function findingOf({ id, action, at, detail }: AuditRow) {
  const reasons = Array.isArray(detail.reasons) ? detail.reasons.map(String) : []
  return {
    uid: String(id),
    title: TITLES[action] ?? action,
    types: [action],
    created_time: at.getTime(),
    ...(reasons.length > 0 && { desc: reasons.join(', ') }),
  }
}

/** How OCSF classifies an action: a class and one of its activities. */
type OcsfKind = {
  readonly [C in OcsfClassName]: {
    readonly class: C
    readonly activity: OcsfActivity<C>
    /** What is managed; only for actions on an entity. */
    readonly entity?: string
  }
}[OcsfClassName]

const authentication = (activity: OcsfActivity<'authentication'>): OcsfKind => ({
  class: 'authentication',
  activity,
})

const accountChange = (activity: OcsfActivity<'accountChange'>): OcsfKind => ({
  class: 'accountChange',
  activity,
})

const entity = (kind: string, activity: OcsfActivity<'entityManagement'>): OcsfKind => ({
  class: 'entityManagement',
  activity,
  entity: kind,
})

const api = (activity: OcsfActivity<'apiActivity'>): OcsfKind => ({ class: 'apiActivity', activity })

const FINDING: OcsfKind = { class: 'finding', activity: 'Create' }
const PRIVILEGES: OcsfKind = { class: 'userAccess', activity: 'Assign Privileges' }

/** Lists every action, so that a new one does not compile until it has its place here. */
const OCSF_KINDS: Readonly<Record<AuditAction, OcsfKind>> = {
  login: authentication('Logon'),
  logout: authentication('Logoff'),
  refresh: authentication({ other: 'Refresh' }),
  'handoff.code': authentication({ other: 'Hand-off' }),
  'handoff.redeem': authentication('Logon'),
  'handoff.replay': FINDING,
  reauthenticate: authentication({ other: 'Re-authentication' }),
  'session.revoke': authentication('Logoff'),
  'session.anomaly': FINDING,
  'account.create': accountChange('Create'),
  'account.change': entity('account', 'Update'),
  'account.delete': entity('account', 'Delete'),
  'account.delete.cancel': entity('account', 'Update'),
  'account.transfer': entity('account', 'Update'),
  signup: accountChange({ other: 'Sign-up Request' }),
  'email.verify': accountChange({ other: 'E-mail Verification' }),
  'email.change': accountChange({ other: 'E-mail Change' }),
  'email.undo': accountChange({ other: 'E-mail Change Undone' }),
  'password.forgot': accountChange('Password Reset'),
  'password.reset': accountChange('Password Reset'),
  'password.change': accountChange('Password Change'),
  'password.remove': accountChange({ other: 'Password Removal' }),
  'factor.add': accountChange('MFA Factor Enable'),
  'factor.change': accountChange({ other: 'MFA Factor Change' }),
  'factor.remove': accountChange('MFA Factor Disable'),
  'factors.reset': accountChange('MFA Factor Disable'),
  'recovery-codes.create': accountChange({ other: 'Recovery Codes' }),
  'recovery-code.use': authentication({ other: 'Recovery Code' }),
  'passkey.counter': FINDING,
  'device.remember': accountChange({ other: 'Device Remembered' }),
  'device.forget': accountChange({ other: 'Device Forgotten' }),
  'second-factor.policy': entity('second-factor policy', 'Update'),
  'profile.change': accountChange({ other: 'Profile Change' }),
  'person.export': entity('personal data', 'Read'),
  'audit.export': entity('audit log', 'Read'),
  'audit.expire': entity('audit log', 'Delete'),
  'invitation.create': entity('invitation', 'Create'),
  'invitation.withdraw': entity('invitation', 'Delete'),
  'invitation.accept': accountChange('Create'),
  'user.create': accountChange('Create'),
  'user.import': accountChange('Create'),
  'user.disable': accountChange('Disable'),
  'user.enable': accountChange('Enable'),
  'user.remove': accountChange('Delete'),
  'permissions.change': PRIVILEGES,
  'satellites.change': PRIVILEGES,
  'satellite.add': entity('satellite', 'Create'),
  'satellite.change': entity('satellite', 'Update'),
  'satellite.verify': entity('satellite', 'Activate'),
  'satellite.suspend': entity('satellite', 'Suspend'),
  'satellite.resume': entity('satellite', 'Resume'),
  'satellite.move': entity('satellite', 'Move'),
  'satellite.remove': entity('satellite', 'Delete'),
  'rate.limit': api({ other: 'Rate Limit' }),
  mail: entity('mail', { other: 'Send' }),
  'mail.resend': entity('mail', { other: 'Send Again' }),
  'checkout.create': entity('checkout', 'Create'),
  webhook: api({ other: 'Webhook' }),
  origin: api({ other: 'Cross-Origin Request' }),
  'billing.adopt': entity('customer', 'Create'),
  'billing.forget': entity('customer', 'Delete'),
  'billing.refuse': api({ other: 'Payment Provider' }),
  'billing.repair': entity('subscription', 'Update'),
  'billing.portal': entity('billing portal', 'Read'),
  'billing.surplus.end': entity('subscription', 'Delete'),
  'entitlements.change': entity('entitlements', 'Update'),
  'billing.replay': entity('payment event', { other: 'Replay' }),
  'operator.add': entity('operator', 'Create'),
  'operator.disable': entity('operator', 'Suspend'),
  'operator.login': authentication('Logon'),
  'operator.logout': authentication('Logoff'),
  'operator.passkey': entity('operator', 'Update'),
  'operator.search': entity('directory', 'Read'),
  'operator.list': entity('personal data', 'Read'),
  'operator.view': entity('personal data', 'Read'),
}

const FINDINGS = { uid: 2, name: 'Findings' } as const
const IAM = { uid: 3, name: 'Identity & Access Management' } as const
const APPLICATION = { uid: 6, name: 'Application Activity' } as const

/** The id of an activity that a class does not define; our name for it is sent alongside. */
const OTHER = 99

/** The classes that our actions map to, with the activities that we use. */
const OCSF_CLASSES = {
  finding: {
    uid: 2004,
    name: 'Detection Finding',
    category: FINDINGS,
    activities: { Create: 1 },
  },
  accountChange: {
    uid: 3001,
    name: 'Account Change',
    category: IAM,
    activities: {
      Create: 1,
      Enable: 2,
      'Password Change': 3,
      'Password Reset': 4,
      Disable: 5,
      Delete: 6,
      'MFA Factor Enable': 10,
      'MFA Factor Disable': 11,
    },
  },
  authentication: {
    uid: 3002,
    name: 'Authentication',
    category: IAM,
    activities: { Logon: 1, Logoff: 2 },
  },
  entityManagement: {
    uid: 3004,
    name: 'Entity Management',
    category: IAM,
    activities: {
      Create: 1,
      Read: 2,
      Update: 3,
      Delete: 4,
      Move: 5,
      Activate: 10,
      Suspend: 12,
      Resume: 13,
    },
  },
  userAccess: {
    uid: 3005,
    name: 'User Access Management',
    category: IAM,
    activities: { 'Assign Privileges': 1, 'Revoke Privileges': 2 },
  },
  apiActivity: {
    uid: 6003,
    name: 'API Activity',
    category: APPLICATION,
    activities: { Create: 1, Read: 2, Update: 3, Delete: 4 },
  },
} as const

type OcsfClassName = keyof typeof OCSF_CLASSES

/** An activity of a class, or our name for one that the class does not define. */
type OcsfActivity<C extends OcsfClassName = OcsfClassName> = ActivityOf<C> | { readonly other: string }

type ActivityOf<C> = C extends OcsfClassName ? keyof (typeof OCSF_CLASSES)[C]['activities'] : never

/** The fields that all events of this class and activity have. */
function classificationOf(className: OcsfClassName, activity: OcsfActivity) {
  const { uid, name, category, activities } = OCSF_CLASSES[className]
  const isOther = typeof activity === 'object'
  const activityName = isOther ? activity.other : activity
  const activityId = isOther ? OTHER : ((activities as Record<string, number>)[activity] as number)
  return {
    category_uid: category.uid,
    category_name: category.name,
    class_uid: uid,
    class_name: name,
    activity_id: activityId,
    activity_name: activityName,
    type_uid: uid * 100 + activityId,
    type_name: `${name}: ${isOther ? 'Other' : activityName}`,
  }
}
