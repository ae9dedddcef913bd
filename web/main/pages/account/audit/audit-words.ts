/** Words for the actions of the audit log: what somebody did, and what they only tried. `{whom}` is the other person concerned, if any, `{satellite}` the host of a satellite. */
interface Words {
  readonly did: string
  readonly tried: string
}

const words = (did: string, tried: string): Words => ({ did, tried })

const ACTION_WORDS: Readonly<Record<string, Words>> = {
  login: words('logged in', 'log in'),
  logout: words('logged out', 'log out'),
  refresh: words('refreshed a session', 'refresh a session that has ended'),
  reauthenticate: words('confirmed that it was them', 'confirm that it was them'),
  'session.revoke': words('ended a session of {whom}', 'end a session of {whom}'),
  'session.anomaly': words(
    'logged in or came back in an unusual way',
    'log in or come back in an unusual way',
  ),
  'handoff.code': words('went on to a satellite', 'go on to a satellite'),
  'handoff.redeem': words('arrived at a satellite', 'log in on a satellite with a code that is not valid'),
  'handoff.replay': words('used the code of a login twice', 'use the code of a login twice'),
  'account.create': words('created the account', 'create the account'),
  'account.change': words('changed the account', 'change the account'),
  'account.delete': words('requested the deletion of the account', 'delete the account'),
  'account.delete.cancel': words(
    'cancelled the deletion of the account',
    'cancel the deletion of the account',
  ),
  'account.transfer': words('transferred the account to {whom}', 'transfer the account'),
  signup: words('signed up', 'sign up'),
  'email.verify': words('confirmed their e-mail address', 'confirm their e-mail address'),
  'email.change': words('changed their e-mail address', 'change their e-mail address'),
  'email.undo': words('restored their previous e-mail address', 'restore their previous e-mail address'),
  'password.forgot': words('requested a password reset link', 'request a password reset link'),
  'password.reset': words('reset their password', 'reset their password'),
  'password.change': words('changed their password', 'change their password'),
  'password.remove': words('gave up their password', 'give up their password'),
  'factor.add': words('added a second factor', 'add a second factor'),
  'factor.change': words('changed a second factor', 'change a second factor'),
  'factor.remove': words('removed a second factor', 'remove a second factor'),
  'factors.reset': words('reset the second factors of {whom}', 'reset the second factors of {whom}'),
  'recovery-codes.create': words('created new recovery codes', 'create new recovery codes'),
  'recovery-code.use': words('used a recovery code', 'use a recovery code'),
  'passkey.counter': words(
    'used a passkey that may have been copied',
    'use a passkey that may have been copied',
  ),
  'device.remember': words(
    'logged in on a device that is remembered for 30 days',
    'have a device remembered',
  ),
  'device.forget': words('removed a remembered device', 'remove a remembered device'),
  'second-factor.policy': words(
    'changed who must have a second factor',
    'change who must have a second factor',
  ),
  'profile.change': words('changed their profile', 'change their profile'),
  'person.export': words('exported their data', 'export their data'),
  'audit.export': words('downloaded the audit log', 'download the audit log'),
  'audit.expire': words('removed old rows of the audit log', 'remove old rows of the audit log'),
  'invitation.create': words('invited {whom}', 'invite {whom}'),
  'invitation.withdraw': words('withdrew the invitation to {whom}', 'withdraw the invitation to {whom}'),
  'invitation.accept': words('accepted an invitation', 'accept an invitation'),
  'user.create': words('joined the team', 'join the team'),
  'user.import': words('imported {whom}', 'import {whom}'),
  'user.disable': words('disabled {whom}', 'disable {whom}'),
  'user.enable': words('enabled {whom}', 'enable {whom}'),
  'user.remove': words('removed {whom} from the team', 'remove {whom} from the team'),
  'permissions.change': words('changed the permissions of {whom}', 'change the permissions of {whom}'),
  'satellites.change': words(
    'changed which sites {whom} may log in at',
    'change which sites {whom} may log in at',
  ),
  'satellite.add': words('added the satellite {satellite}', 'add the satellite {satellite}'),
  'satellite.change': words('changed the satellite {satellite}', 'change the satellite {satellite}'),
  'satellite.verify': words('proved the satellite {satellite}', 'prove the satellite {satellite}'),
  'satellite.suspend': words('suspended the satellite {satellite}', 'suspend the satellite {satellite}'),
  'satellite.resume': words('resumed the satellite {satellite}', 'resume the satellite {satellite}'),
  'satellite.move': words(
    'moved the satellite {satellite} to another account that has proven it',
    'move the satellite {satellite} to another account',
  ),
  'satellite.remove': words('removed the satellite {satellite}', 'remove the satellite {satellite}'),
  'rate.limit': words('made too many attempts', 'make too many attempts'),
  mail: words('sent an e-mail', 'send an e-mail'),
  'checkout.create': words('opened a checkout', 'open a checkout'),
  webhook: words('received an event from the payment provider', 'send an invalid event'),
  origin: words(
    'sent a request from a site that is not listed',
    'send a request from a site that is not listed',
  ),
  'billing.repair': words('corrected the subscription', 'correct the subscription'),
  'billing.portal': words('opened the billing portal', 'open the billing portal'),
  'billing.forget': words(
    'unlinked the account from its customer at the payment provider',
    'unlink the account from its customer at the payment provider',
  ),
  'billing.surplus.end': words(
    'ended a second subscription and refunded it',
    'end and refund a second subscription',
  ),
  'entitlements.change': words('updated what the plan allows', 'update what the plan allows'),
}

/** Actions that write a row for each step, with what was done in it. */
const STEPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'account.transfer': {
    requested: 'asked {whom} to become the owner',
    accepted: 'agreed to become the owner',
    cancelled: 'stopped the transfer of the account to {whom}',
    done: 'made {whom} the owner of the account',
  },
  'factors.reset': {
    asked: 'started a reset of the second factors of {whom}',
    stopped: 'stopped a reset of the second factors of {whom}',
    done: 'reset the second factors of {whom}',
  },
  'second-factor.policy': {
    set: 'changed who must have a second factor',
    enforced: 'began to insist on second factors',
  },
}

/** The words for an action of the audit log, or for the step of it; null for one that has none. */
export function wordsFor(action: string, step?: unknown): Words | null {
  const general = ACTION_WORDS[action]
  if (!general) return null
  const did = STEPS[action]?.[String(step)]
  return did ? { ...general, did } : general
}
