import type { Client } from '../http/request.js'

/** Who does something, and from where. What does not apply or is not known is absent. */
export interface Actor {
  readonly userId?: string
  readonly accountId?: string
  /** The handle of the session in which it is done. */
  readonly sid?: string
  /** Null for what an operator does at the command line, or the service by itself. */
  readonly client: Client | null
  /** Who does it as an operator, and why. */
  readonly operator?: OperatorAction
}

/** Which operator acts, and why. */
interface OperatorAction {
  /** The operator's id in the console; null at the command line. */
  readonly id: string | null
  /** Why, in their words; null where nothing changes, and at the command line without `--reason`. */
  readonly reason: string | null
}

/** The service itself, or a command whose operator gives no reason. */
export const SERVICE: Actor = { client: null }

/** The person who runs a command, with the reason that they give. */
export function atCommandLine(reason: string | undefined): Actor {
  return { client: null, operator: { id: null, reason: reason ?? null } }
}

/** The user to whom something is done. */
export interface TargetUser {
  readonly id: string
  readonly accountId: string
}

/** What operators do that does not concern an account. */
export const CONSOLE_ACTIONS = [
  'operator.add',
  'operator.disable',
  'operator.login',
  'operator.logout',
  'operator.passkey',
  'operator.search',
  'operator.list',
] as const

/** Every action that has rows in the audit log. */
export const AUDIT_ACTIONS = [
  'login',
  'logout',
  'refresh',
  'handoff.code',
  'handoff.redeem',
  'handoff.replay',
  'reauthenticate',
  'session.revoke',
  'session.anomaly',
  'account.create',
  'account.change',
  'account.delete',
  'account.delete.cancel',
  'account.transfer',
  'signup',
  'email.verify',
  'email.change',
  'email.undo',
  'password.forgot',
  'password.reset',
  'password.change',
  'password.remove',
  'factor.add',
  'factor.change',
  'factor.remove',
  'factors.reset',
  'recovery-codes.create',
  'recovery-code.use',
  'passkey.counter',
  'device.remember',
  'device.forget',
  'second-factor.policy',
  'profile.change',
  'person.export',
  'audit.export',
  'audit.expire',
  'invitation.create',
  'invitation.withdraw',
  'invitation.accept',
  'user.create',
  'user.import',
  'user.disable',
  'user.enable',
  'user.remove',
  'permissions.change',
  'satellites.change',
  'satellite.add',
  'satellite.change',
  'satellite.verify',
  'satellite.suspend',
  'satellite.resume',
  'satellite.move',
  'satellite.remove',
  'rate.limit',
  'mail',
  'mail.resend',
  'checkout.create',
  'webhook',
  'origin',
  'billing.adopt',
  'billing.forget',
  'billing.refuse',
  'billing.repair',
  'billing.portal',
  'billing.surplus.end',
  'entitlements.change',
  'billing.replay',
  'operator.view',
  ...CONSOLE_ACTIONS,
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Rows written by another version may have other actions. */
export function isAuditAction(text: string): text is AuditAction {
  return (AUDIT_ACTIONS as readonly string[]).includes(text)
}

/** `failed`: tried, and wrong (a password). `refused`: not allowed. */
export const AUDIT_OUTCOMES = ['ok', 'failed', 'refused'] as const
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number]

/**
 * Who did what, from where, with which outcome. Never contains a secret: no password, token, cookie or
 * sessionId.
 */
export interface AuditEvent extends Actor {
  readonly action: AuditAction
  readonly outcome: AuditOutcome
  /** Small facts, such as the reason of a refusal. */
  readonly detail?: Readonly<Record<string, unknown>>
}

type Detail = NonNullable<AuditEvent['detail']>

/** The row for what the actor has done with their own account; `ok` unless the caller says otherwise. */
export function auditEvent(
  { userId, accountId, sid, client, operator }: Actor,
  action: AuditAction,
  detail?: Detail,
): AuditEvent {
  const whole = operator ? { ...detail, ...detailOf(operator) } : detail
  return {
    action,
    outcome: 'ok',
    ...(userId && { userId }),
    ...(accountId && { accountId }),
    ...(sid && { sid }),
    client,
    ...(whole && { detail: whole }),
  }
}

/**
 * The row for what the actor has done to another user, or to something that belongs to no user yet: `userId` is
 * who was changed, `detail.by` who did it.
 */
export function auditEventOf(
  { id, accountId }: Partial<TargetUser> & Pick<TargetUser, 'accountId'>,
  { userId: by, client, operator }: Actor,
  action: AuditAction,
  detail: Detail = {},
): AuditEvent {
  return {
    action,
    outcome: 'ok',
    ...(id && { userId: id }),
    accountId,
    client,
    detail: { ...detail, ...(by && { by }), ...detailOf(operator) },
  }
}

/** `operator` is `command line` for a command, which has no login. */
function detailOf(operator: OperatorAction | undefined): Detail {
  if (!operator) return {}
  const { id, reason } = operator
  return { operator: id ?? 'command line', ...(reason !== null && { reason }) }
}
