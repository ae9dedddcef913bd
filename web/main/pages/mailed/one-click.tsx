import { Link } from '../../../pieces/router.js'
import { MailedPage } from './mailed-page.js'

export function UndoEmailPage() {
  return (
    <MailedPage
      title="Keep the old e-mail address"
      path="email/undo"
      submit="Undo the change"
      done="The old address is back, and everybody has been logged out. A mail with a link for a new password is on its way."
      anew={<Link href="/forgot-password">Choose a new password</Link>}
    >
      <p>
        If you did not change your e-mail address, somebody else did. Undo the change and choose a new
        password.
      </p>
    </MailedPage>
  )
}

export function NotMePage() {
  return (
    <MailedPage
      title="This was not me"
      path="sessions/not-me"
      submit="Log me out everywhere"
      done="You have been logged out everywhere. A mail with a link for a new password is on its way."
      anew={<Link href="/forgot-password">Choose a new password</Link>}
    >
      <p>
        Then somebody else knows your password. We log you out everywhere and mail you a link to choose a new
        one.
      </p>
    </MailedPage>
  )
}

export function StopTransferPage() {
  return (
    <MailedPage
      title="Stop the transfer"
      path="account/transfer/stop"
      submit="Stop it"
      done="The transfer is stopped: the account keeps its owner. If it was not you who asked for it, choose a new password now."
      next={() => <Link href="/forgot-password">Choose a new password</Link>}
      anew={<Link href="/account/settings">Look whether a transfer is under way</Link>}
    >
      <p>
        Your account is to get another owner. If you did not ask for that, somebody else has your password.
      </p>
    </MailedPage>
  )
}
