import { Dialog } from '../pieces/forms/dialog.js'
import { ProofForm } from '../pieces/proof/proof-form.js'
import { call } from './api.js'
import { client } from './client.js'
import { useQuestion } from './reauthentication.js'

/** Asks again for what somebody has, when something needs it; what was wrong is said in the dialog. */
export function ReauthenticationDialog() {
  const question = useQuestion()
  if (!question) return null
  const { methods, done, cancel } = question
  return (
    <Dialog title="Please confirm your identity" isForemost onCancel={cancel}>
      <p>
        {methods.includes('password')
          ? 'This is a sensitive change.'
          : 'This requires a second factor that you have used just now.'}
      </p>
      <ProofForm
        client={client}
        methods={methods}
        submit="Confirm"
        send={proof => call('POST', 'reauthenticate', proof).then(done)}
      />
    </Dialog>
  )
}
