import type { AuditAction } from '../../platform/audit/audit-event.js'
import type { OcsfActivity, OcsfClassName } from './ocsf-classes.js'

/** How OCSF classifies an action: a class and one of its activities. */
export type OcsfKind = {
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
export const OCSF_KINDS: Readonly<Record<AuditAction, OcsfKind>> = {
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
