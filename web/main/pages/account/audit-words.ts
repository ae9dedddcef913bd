/** The actions of the audit log: what somebody did, or only tried. `{whom}` is whom it concerns, where that is another. */
interface Words {
  readonly did: string
  readonly tried: string
}

const words = (did: string, tried: string): Words => ({ did, tried })

const ACTION_WORDS: Readonly<Record<string, Words>> = {
  login: words('logged in', 'log in'),
  logout: words('logged out', 'log out'),
  refresh: words('used a session', 'use a session that is over'),
  reauthenticate: words('confirmed their password', 'confirm their password'),
  'session.revoke': words('ended a session of {whom}', 'end a session of {whom}'),
  'session.anomaly': words('used a session in an unusual way', 'use a session in an unusual way'),
  'account.create': words('opened the account', 'open the account'),
  'account.change': words('changed the account', 'change the account'),
  'account.delete': words('asked for the deletion of the account', 'delete the account'),
  'account.keep': words('called the deletion of the account off', 'call the deletion off'),
  'account.transfer': words('transferred the account to {whom}', 'transfer the account'),
  signup: words('signed up', 'sign up'),
  'email.verify': words('confirmed their e-mail address', 'confirm their e-mail address'),
  'email.change': words('changed their e-mail address', 'change their e-mail address'),
  'email.undo': words('undid the change of their e-mail address', 'undo the change of their e-mail address'),
  'password.forgot': words('asked for a link for a new password', 'get a link for a new password'),
  'password.reset': words('chose a new password by link', 'choose a new password by link'),
  'password.change': words('changed their password', 'change their password'),
  'profile.change': words('changed their profile', 'change their profile'),
  'person.export': words('exported their data', 'export their data'),
  'audit.export': words('downloaded the audit log', 'download the audit log'),
  'invitation.create': words('invited {whom}', 'invite {whom}'),
  'invitation.withdraw': words('withdrew the invitation of {whom}', 'withdraw the invitation of {whom}'),
  'invitation.accept': words('accepted an invitation', 'accept an invitation'),
  'user.create': words('joined the team', 'join the team'),
  'user.import': words('imported members', 'import members'),
  'user.disable': words('disabled {whom}', 'disable {whom}'),
  'user.enable': words('enabled {whom}', 'enable {whom}'),
  'user.remove': words('removed {whom} from the team', 'remove {whom} from the team'),
  'permissions.change': words('changed the permissions of {whom}', 'change the permissions of {whom}'),
  'satellites.change': words('changed the sites of {whom}', 'change the sites of {whom}'),
  attempts: words('made too many attempts', 'make too many attempts'),
  mail: words('sent a mail', 'send a mail'),
  'checkout.create': words('started a payment', 'start a payment'),
  webhook: words('heard from the payment provider', 'hear from the payment provider'),
  origin: words('asked from an unknown site', 'ask from an unknown site'),
  'billing.mend': words('put the subscription right', 'put the subscription right'),
  'billing.portal': words(
    'opened the pages of the payment provider',
    'open the pages of the payment provider',
  ),
  'billing.forget': words(
    'unlinked the account from its customer at the payment provider',
    'unlink the account from its customer at the payment provider',
  ),
  'billing.surplus.end': words('ended a second subscription and refunded it', 'end a second subscription'),
  'entitlements.change': words('changed what the plan allows', 'change what the plan allows'),
}

/** A transfer has a row for each of its steps. */
const TRANSFER_STEPS: Readonly<Record<string, string>> = {
  requested: 'asked {whom} to become the owner',
  accepted: 'agreed to become the owner',
  cancelled: 'stopped the transfer of the account to {whom}',
  done: 'made {whom} the owner of the account',
}

/** The words for an action of the audit log, or for the step of it; null for one that has none. */
export function wordsFor(action: string, step?: unknown): Words | null {
  const general = ACTION_WORDS[action]
  if (!general) return null
  const did = action === 'account.transfer' ? TRANSFER_STEPS[String(step)] : undefined
  return did ? { ...general, did } : general
}
