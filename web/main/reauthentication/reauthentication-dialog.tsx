import { Dialog } from '../../pieces/forms/dialog.js'
import { t } from '../../pieces/language/t.js'
import { useLoad } from '../../pieces/loading/use-load.js'
import { ProofForm } from '../../pieces/proof/proof-form.js'
import type { Profile } from '../answers.js'
import { call } from '../api.js'
import { client } from '../client.js'
import { type Question, useQuestion } from './reauthentication.js'

/** Asks for proof of identity when something needs it; errors are shown in the dialog. */
export function ReauthenticationDialog() {
  const question = useQuestion()
  return question && <Asking question={question} />
}

function Asking({ question: { methods, done, cancel } }: { readonly question: Question }) {
  const profile = useLoad(() => call<Profile>('GET', 'profile'))
  return (
    <Dialog title={t('reauth.title')} isForemost onCancel={cancel}>
      <p>{methods.includes('password') ? t('reauth.sensitive') : t('reauth.stepUp')}</p>
      <ProofForm
        client={client}
        methods={methods}
        email={profile.data?.email}
        submit={t('common.confirm')}
        send={proof => call('POST', 'reauthenticate', proof).then(done)}
      />
    </Dialog>
  )
}
