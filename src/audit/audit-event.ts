import type { Client } from '../http/client.js'

/** Every action that has rows in the audit log. */
export const AUDIT_ACTIONS = [
  'login',
  'logout',
  'refresh',
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
  'profile.change',
  'person.export',
  'audit.export',
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
  'attempts',
  'mail',
  'checkout.create',
  'webhook',
  'origin',
  'billing.forget',
  'billing.repair',
  'billing.portal',
  'billing.surplus.end',
  'entitlements.change',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** `failed`: tried, and wrong (a password). `refused`: not allowed. */
export const AUDIT_OUTCOMES = ['ok', 'failed', 'refused'] as const
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number]

/**
 * Who did what, from where, with which outcome. Never contains a secret: no password, token, cookie or
 * sessionId.
 */
export interface AuditEvent {
  readonly action: AuditAction
  readonly outcome: AuditOutcome
  readonly userId?: string
  readonly accountId?: string
  readonly sid?: string
  /** Null for what an operator did at the command line, or the service by itself. */
  readonly client: Client | null
  /** Small facts, such as the reason of a refusal. */
  readonly detail?: Readonly<Record<string, unknown>>
}
