import { supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { type ReactNode, useState } from 'react'
import { useEffect } from '../pieces/activity.js'
import { Dialog } from '../pieces/dialog.js'
import { ActionButton, useAction } from '../pieces/forms.js'
import { useLoad } from '../pieces/loading.js'
import { Failure } from '../pieces/notices.js'
import { SmallPage } from '../pieces/page.js'
import { ProofForm } from '../pieces/proof.js'
import { usePlace } from '../pieces/router.js'
import { t } from '../pieces/t.js'
import {
  call,
  cancelQuestion,
  forgetEnrolmentRequired,
  type Profile,
  type Question,
  useEnrolmentRequired,
  useQuestion,
} from './api.js'
import { rememberEmail } from './between-pages.js'
import { client } from './client.js'
import { AuthenticatorSetup, addPasskey, ShownCodes } from './factors.js'

/**
 * Replaces a page, at the same address, while the account requires a second factor that the user does not
 * have; afterwards they continue there. Asks for proofs of identity, which all pages behind a login may need.
 */
export function EnrolmentGate({ children }: { readonly children: ReactNode }) {
  const isRequired = useEnrolmentRequired()
  const { path } = usePlace()
  useEffect(() => {
    rememberEmail('')
    // Another person may log in next.
    return forgetEnrolmentRequired
  }, [])
  // What a page was about to do is not confirmed on the next one.
  useEffect(() => cancelQuestion, [path])
  return (
    <>
      {isRequired ? <EnrolmentPage done={forgetEnrolmentRequired} /> : children}
      <ReauthenticationDialog />
    </>
  )
}

/** Asks for proof of identity when something needs it; errors are shown in the dialog. */
function ReauthenticationDialog() {
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

/** For users who can do nothing until they have a second factor. */
function EnrolmentPage({ done }: { readonly done: () => void }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const goOn = async () => {
    // Their permissions come with a new token.
    await client.refresh()
    done()
  }
  const take = (recoveryCodes: readonly string[] | null) =>
    recoveryCodes ? setCodes(recoveryCodes) : void goOn()
  if (codes)
    return (
      <SmallPage title={t('enrolment.codesTitle')}>
        <ShownCodes codes={codes} done={goOn} />
      </SmallPage>
    )
  return <Ways take={take} />
}

function Ways({ take }: { readonly take: (codes: readonly string[] | null) => void }) {
  const [isWithApp, setIsWithApp] = useState(!supportsPasskeys())
  const passkey = useAction(() => addPasskey().then(take))
  const logout = useAction(() => client.logout())
  return (
    <SmallPage title={t('enrolment.title')}>
      <p>{t('enrolment.why')}</p>
      {isWithApp ? (
        <AuthenticatorSetup done={take} {...(supportsPasskeys() && { cancel: () => setIsWithApp(false) })} />
      ) : (
        <>
          <Failure error={passkey.error} />
          <div className="actions">
            <ActionButton kind="primary" action={passkey}>
              {t('passkeys.add')}
            </ActionButton>
          </div>
          <p>
            <small>{t('enrolment.passkeyHint')}</small>
          </p>
          <p className="or">{t('common.or')}</p>
          <div className="actions">
            <button type="button" onClick={() => setIsWithApp(true)}>
              {t('enrolment.useApp')}
            </button>
          </div>
        </>
      )}
      <p className="links">
        <button type="button" className="link" onClick={() => void logout.run()}>
          {t('common.logOut')}
        </button>
      </p>
    </SmallPage>
  )
}
