import { useState } from 'react'
import { NewPasswordField } from '../../../pieces/forms/field.js'
import { Link } from '../../../pieces/router.js'
import { hostOf, site } from '../../../pieces/site.js'
import { MailedPage, ToLogin } from './mailed-page.js'

export function ResetPasswordPage() {
  const [origins] = useState(originsInLink)
  return (
    <MailedPage
      title="Choose a new password"
      path="password/reset"
      submit="Set the new password"
      done="Your new password has been set and you have been logged out everywhere. Log in with the new password."
      next={() => <ToSites origins={origins} />}
      anew={<Link href="/forgot-password">Ask for a new link</Link>}
    >
      <NewPasswordField label="New password" />
    </MailedPage>
  )
}

/** Where somebody logs in; without origins that is here. */
export function ToSites({ origins }: { readonly origins: readonly string[] | null }) {
  if (!origins?.length) return <ToLogin />
  return origins.map(origin => (
    <a key={origin} href={origin}>
      Go to {hostOf(origin)}
    </a>
  ))
}

/** The mail of somebody who works at some sites only names them. Any other address is not ours to lead to. */
function originsInLink(): readonly string[] {
  const named = new URLSearchParams(location.hash.slice(1)).getAll('site')
  return named.filter(origin => site.satellites.includes(origin))
}
