import { useState } from 'react'
import { Success } from '../notice.js'
import { Form } from './form.js'
import { NewPasswordField, PasswordField } from './password-fields.js'

/** Changes one's own password. */
export function PasswordForm({
  call,
}: {
  readonly call: (method: 'POST', path: string, body: object) => Promise<unknown>
}) {
  const [isDone, setIsDone] = useState(false)
  return (
    <Form
      submit="Change password"
      messages={{ INVALID_CREDENTIALS: 'The current password is wrong.' }}
      send={async ({ currentPassword, password }, form) => {
        setIsDone(false)
        await call('POST', 'password/change', { currentPassword, password })
        form.reset()
        setIsDone(true)
      }}
    >
      {isDone && (
        <Success>
          Your password has been changed and all your other sessions have ended. If you had asked for a new
          e-mail address and not confirmed it yet, ask again.
        </Success>
      )}
      <PasswordField label="Current password" name="currentPassword" />
      <NewPasswordField label="New password" />
    </Form>
  )
}
