import { Dialog } from '../pieces/forms/dialog.js'
import { PasswordField } from '../pieces/forms/field.js'
import { Form } from '../pieces/forms/form.js'
import { call } from './api.js'
import { useQuestion } from './reauthentication.js'

/** Asks for the password again when something needs it; wrong ones are said so in the dialog. */
export function ReauthenticationDialog() {
  const question = useQuestion()
  if (!question) return null
  return (
    <Dialog title="Please confirm your identity" isForemost onCancel={question.cancel}>
      <p>This is a sensitive change. Enter your password to continue.</p>
      <Form
        submit="Confirm"
        send={({ password }) => call('POST', 'reauthenticate', { password }).then(question.done)}
        messages={{ INVALID_CREDENTIALS: 'Wrong password.' }}
      >
        <PasswordField label="Your password" />
      </Form>
    </Dialog>
  )
}
