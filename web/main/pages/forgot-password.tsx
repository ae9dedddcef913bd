import { useState } from 'react'
import { EmailField } from '../../pieces/field.js'
import { Form } from '../../pieces/form.js'
import { Success } from '../../pieces/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { callAsAnybody } from '../api.js'

export function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState('')
  return (
    <SmallPage title="Forgot your password?">
      {sentTo ? (
        <Success>
          If somebody with the address {sentTo} has an account, a mail with a link is on its way.
        </Success>
      ) : (
        <Form
          submit="Send me a link"
          send={({ email = '' }) => callAsAnybody('password/forgot', { email }).then(() => setSentTo(email))}
        >
          <p>Tell us your e-mail address, and we send you a link to choose a new password.</p>
          <EmailField />
        </Form>
      )}
      <p className="links">
        <Link href="/login">Back to the login</Link>
      </p>
    </SmallPage>
  )
}
