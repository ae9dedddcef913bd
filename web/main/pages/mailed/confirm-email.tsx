import { MainstayError } from '@mainstay-auth/client'
import { useState } from 'react'
import { PasswordField } from '../../../pieces/forms/password-fields.js'
import { Link } from '../../../pieces/router.js'
import { callAsWhoeverIsHere } from '../../api.js'
import { MailedPage } from './mailed-page.js'

/** In the browser where it was asked for the session is proof enough; elsewhere the password is asked for. */
export function ConfirmEmailPage() {
  const [needsPassword, setNeedsPassword] = useState(false)
  const send = async (path: string, body: object) => {
    try {
      return await callAsWhoeverIsHere<null>(path, body)
    } catch (error) {
      if (error instanceof MainstayError && error.code === 'REAUTHENTICATION_REQUIRED') setNeedsPassword(true)
      throw error
    }
  }
  return (
    <MailedPage
      title="Confirm your new e-mail address"
      path="email/confirm"
      submit="Use this address"
      done="Done. From now on you log in with your new address."
      send={send}
      anew={<Link href="/account/security">Ask for a new link</Link>}
      messages={{
        REAUTHENTICATION_REQUIRED: 'Please enter the password of the account too.',
        INVALID_CREDENTIALS: 'Wrong password.',
      }}
    >
      <p>From then on you log in with this address. We let the old address know.</p>
      {needsPassword && <PasswordField label="Password of the account" />}
    </MailedPage>
  )
}
