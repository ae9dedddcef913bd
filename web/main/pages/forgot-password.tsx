import { useState } from 'react'
import { EmailField } from '../../pieces/forms/field.js'
import { Form } from '../../pieces/forms/form.js'
import { Success } from '../../pieces/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { callAsAnybody } from '../api.js'
import { rememberEmail, typedEmail } from '../typed-email.js'

export function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState('')
  return (
    <SmallPage title="Forgot your password?">
      {sentTo ? (
        <Success>If there is an account for {sentTo}, we have sent it a link.</Success>
      ) : (
        <Form
          submit="Send me a link"
          send={({ email = '' }) => callAsAnybody('password/forgot', { email }).then(() => setSentTo(email))}
        >
          <p>Enter your e-mail address, and we will send you a link for choosing a new password.</p>
          <EmailField
            defaultValue={typedEmail()}
            onChange={event => rememberEmail(event.target.value)}
            autoFocus
          />
        </Form>
      )}
      <p className="links">
        <Link href="/login">Back to login</Link>
      </p>
    </SmallPage>
  )
}
