import { supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { useState } from 'react'
import { ActionButton } from '../../pieces/forms/button.js'
import { useAction } from '../../pieces/forms/use-action.js'
import { t } from '../../pieces/language/t.js'
import { Failure } from '../../pieces/notices/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { client } from '../client.js'
import { AuthenticatorSetup } from '../factors/authenticator-setup.js'
import { addPasskey } from '../factors/passkey-calls.js'
import { ShownCodes } from '../factors/shown-codes.js'

/** For users who can do nothing until they have a second factor. */
export function EnrolmentPage({ done }: { readonly done: () => void }) {
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
