import { type AuditAction, isAuditAction } from '../../platform/audit/audit-event.js'
import { type AuditRow, canonicalRow } from '../audit-hash.js'
import { classificationOf, OCSF_VERSION, type OcsfActivity } from './ocsf-classes.js'
import { OCSF_KINDS, type OcsfKind } from './ocsf-kinds.js'
import { actorOf, findingOf, privilegesOf, userOf } from './ocsf-objects.js'

/** The seal of a row, as it is exported; null while it has none. */
export interface ExportedSeal {
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
const UNKNOWN: OcsfKind = { class: 'apiActivity', activity: { other: 'Unknown' } }

/**
 * The row as an event of OCSF. `raw_data` is the text that its seal covers; what the schema has no place for is in
 * `unmapped`.
 */
export function ocsfEvent({ row, email, seal }: RowToExport): Record<string, unknown> {
  const { id, at, action, outcome, accountId, requestId, detail, origin } = row
  const kind = isAuditAction(action) ? OCSF_KINDS[action] : UNKNOWN
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
