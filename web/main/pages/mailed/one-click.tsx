import { MailedPage } from './mailed-page.js'

export function ConfirmEmailPage() {
  return (
    <MailedPage
      title="Confirm your new e-mail address"
      path="email/confirm"
      submit="Use this address"
      done="Done. From now on you log in with your new address."
    >
      <p>From then on you log in with this address. The old one is told.</p>
    </MailedPage>
  )
}

export function UndoEmailPage() {
  return (
    <MailedPage
      title="Keep the old e-mail address"
      path="email/undo"
      submit="Undo the change"
      done="The old address is back, and everybody has been logged out. A mail with a link for a new password is on its way."
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
    >
      <p>
        Then somebody else knows your password. We log you out everywhere and mail you a link to choose a new
        one.
      </p>
    </MailedPage>
  )
}
