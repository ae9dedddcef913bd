import type { AuditAction } from '../../sources.js'

/** What must happen when somebody in the owner's name is let do something. */
export interface Deed {
  /** Method and path of the request. */
  readonly request: RegExp
  /** What the audit log of the account says about it. */
  readonly action: AuditAction
  /** Whether it needs a second factor of a user who has one. */
  readonly needsFactor?: boolean
  /**
   * `present address`: the user's address is mailed; if it is no longer the owner's, they hold a link that undoes the
   * deed. `every address`: the owner's is mailed too, as long as they can return to it. Left out where others are told,
   * or nobody.
   */
  readonly mailed?: 'present address' | 'every address'
}

/** Security-relevant requests of the main site. Those that change nothing a second time are sent only when they do. */
export const DEEDS: readonly Deed[] = [
  {
    request: /^POST \/api\/second-factor\/totp\/confirm$/,
    action: 'factor.add',
    needsFactor: true,
    mailed: 'present address',
  },
  {
    request: /^DELETE \/api\/second-factor\/totp$/,
    action: 'factor.remove',
    needsFactor: true,
    mailed: 'present address',
  },
  { request: /^POST \/api\/passkeys$/, action: 'factor.add', needsFactor: true, mailed: 'present address' },
  {
    request: /^DELETE \/api\/passkeys\/[\w-]+$/,
    action: 'factor.remove',
    needsFactor: true,
    mailed: 'present address',
  },
  // Mailed once a day: see the test of recovery codes.
  {
    request: /^POST \/api\/second-factor\/recovery-codes$/,
    action: 'recovery-codes.create',
    needsFactor: true,
  },
  {
    request: /^DELETE \/api\/password$/,
    action: 'password.remove',
    needsFactor: true,
    mailed: 'present address',
  },
  { request: /^POST \/api\/password\/change$/, action: 'password.change', mailed: 'present address' },
  { request: /^POST \/api\/password\/reset$/, action: 'password.reset', mailed: 'present address' },
  // Of these the mails are links for whoever follows them, and none goes to somebody who is disabled.
  { request: /^POST \/api\/sessions\/not-me$/, action: 'session.revoke' },
  { request: /^POST \/api\/email\/undo$/, action: 'email.undo' },
  { request: /^POST \/api\/email\/change$/, action: 'email.change', needsFactor: true },
  { request: /^POST \/api\/email\/confirm$/, action: 'email.change', mailed: 'present address' },
  {
    request: /^PUT \/api\/account\/second-factor$/,
    action: 'second-factor.policy',
    needsFactor: true,
    mailed: 'every address',
  },
  {
    request: /^POST \/api\/account\/transfer$/,
    action: 'account.transfer',
    needsFactor: true,
    mailed: 'every address',
  },
  {
    request: /^POST \/api\/account\/transfer\/accept$/,
    action: 'account.transfer',
    mailed: 'every address',
  },
  {
    request: /^POST \/api\/account\/deletion$/,
    action: 'account.delete',
    needsFactor: true,
    mailed: 'every address',
  },
  { request: /^POST \/api\/team\/invitations$/, action: 'invitation.create', needsFactor: true },
  { request: /^POST \/api\/invitations\/accept$/, action: 'user.create', mailed: 'every address' },
  {
    request: /^POST \/api\/team\/[\w-]+\/second-factor\/reset$/,
    action: 'factors.reset',
    needsFactor: true,
  },
  { request: /^POST \/api\/handoff\/codes$/, action: 'handoff.code' },
  { request: /^POST \/api\/login(\/passkey|\/second-factor)?$/, action: 'login' },
]
