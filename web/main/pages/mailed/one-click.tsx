import { Link } from '../../../pieces/router.js'
import { MailedPage } from './mailed-page.js'

export function UndoEmailPage() {
  return (
    <MailedPage
      title="Restore your old e-mail address"
      path="email/undo"
      submit="Undo the change"
      done="The old address is back, and everybody has been logged out. We have sent you a link for choosing a new password."
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
      done="You have been logged out everywhere. We have sent you a link for choosing a new password."
      anew={<Link href="/forgot-password">Choose a new password</Link>}
    >
      <p>
        Somebody else knows your password. We will log you out everywhere and mail you a link for choosing a
        new one.
      </p>
    </MailedPage>
  )
}

export function StopTransferPage() {
  return (
    <MailedPage
      title="Stop the transfer"
      path="account/transfer/stop"
      submit="Stop the transfer"
      done="The transfer has been stopped, and the account keeps its owner. If you did not ask for it, choose a new password now."
      next={() => <Link href="/forgot-password">Choose a new password</Link>}
      anew={<Link href="/account/settings">Check whether a transfer is pending</Link>}
    >
      <p>
        Somebody asked to transfer your account to another owner. If it was not you, somebody else has your
        password.
      </p>
    </MailedPage>
  )
}
