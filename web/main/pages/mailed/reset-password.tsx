import { NewPasswordField } from '../../../pieces/forms/password-fields.js'
import { Link } from '../../../pieces/router.js'
import { SiteLinks } from '../../../pieces/site-links.js'
import type { LoginSites } from '../../answers.js'
import { MailedPage, ToLogin } from './mailed-page.js'

export function ResetPasswordPage() {
  return (
    <MailedPage<LoginSites>
      title="Choose a new password"
      path="password/reset"
      submit="Set the new password"
      done="Your new password has been set and you have been logged out everywhere. Log in with the new password."
      next={({ satellites }) => <ToSites origins={satellites} />}
      anew={<Link href="/forgot-password">Ask for a new link</Link>}
    >
      <NewPasswordField label="New password" />
    </MailedPage>
  )
}

/** Where somebody logs in; without origins that is here. */
export function ToSites({ origins }: { readonly origins: LoginSites['satellites'] }) {
  return origins ? <SiteLinks origins={origins} /> : <ToLogin />
}
