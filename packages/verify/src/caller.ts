export const PERMISSIONS = [
  'payments',
  'accountSettings',
  'teamManagement',
  'dataEntry',
  'viewReports',
] as const
export type Permission = (typeof PERMISSIONS)[number]
export type Permissions = Readonly<Record<Permission, boolean>>

/** Who is calling, by a token whose signature was checked. The session may have ended since: a token lives out its minutes. */
export interface Caller {
  readonly userId: string
  readonly accountId: string
  /** The public handle of the session; safe to log. */
  readonly sid: string
  /** A session of a satellite never has more than dataEntry and viewReports. */
  readonly source: 'main' | 'satellite'
  readonly permissions: Permissions
}

/** The caller of a verified payload; null when a claim is missing or not of its type. */
export function readCaller(payload: Record<string, unknown>): Caller | null {
  const { sub, userId, accountId, sid, source, permissions, jti, aud } = payload
  const isComplete =
    [userId, accountId, sid, jti, aud].every(isText) &&
    sub === userId &&
    (source === 'main' || source === 'satellite') &&
    isPermissions(permissions)
  return isComplete ? ({ userId, accountId, sid, source, permissions } as Caller) : null
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** A permission that this version does not know yet does no harm: nobody asks for it here. */
function isPermissions(value: unknown): value is Permissions {
  if (typeof value !== 'object' || value === null) return false
  return PERMISSIONS.every(name => typeof (value as Partial<Permissions>)[name] === 'boolean')
}
