import { Field, NewPasswordField } from '../../../pieces/field.js'
import { hostOf } from '../../../pieces/site.js'
import type { Accepted } from '../../answers.js'
import { MailedPage, ToLogin } from './mailed-page.js'

export function AcceptInvitationPage() {
  return (
    <MailedPage<Accepted>
      title="Join the team"
      path="invitations/accept"
      submit="Join"
      done="Welcome. You can log in now with your e-mail address and this password."
      next={ToSites}
    >
      <p>You have been invited. Choose a password to join.</p>
      <Field label="Name (optional)" name="name" autoComplete="name" maxLength={100} />
      <NewPasswordField />
    </MailedPage>
  )
}

/** Who was invited to some sites logs in there and not here. */
function ToSites({ satellites }: Accepted) {
  if (!satellites) return <ToLogin />
  return satellites.map(origin => (
    <a key={origin} href={origin}>
      Go to {hostOf(origin)}
    </a>
  ))
}
