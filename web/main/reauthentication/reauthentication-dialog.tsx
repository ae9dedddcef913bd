import { Dialog } from '../../pieces/forms/dialog.js'
import { t } from '../../pieces/language/t.js'
import { ProofForm } from '../../pieces/proof/proof-form.js'
import { call } from '../api.js'
import { client } from '../client.js'
import { useQuestion } from './reauthentication.js'

/** Asks for proof of identity when something needs it; errors are shown in the dialog. */
export function ReauthenticationDialog() {
  const question = useQuestion()
  if (!question) return null
  const { methods, done, cancel } = question
  return (
    <Dialog title={t('reauth.title')} isForemost onCancel={cancel}>
      <p>{methods.includes('password') ? t('reauth.sensitive') : t('reauth.stepUp')}</p>
      <ProofForm
        client={client}
        methods={methods}
        submit={t('common.confirm')}
        send={proof => call('POST', 'reauthenticate', proof).then(done)}
      />
    </Dialog>
  )
}
