import { supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { useState } from 'react'
import { ActionButton } from '../../pieces/forms/button.js'
import { useAction } from '../../pieces/forms/use-action.js'
import { Failure } from '../../pieces/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { leave } from '../../pieces/sessions/leaving.js'
import { client } from '../client.js'
import { AuthenticatorSetup } from '../factors/authenticator-setup.js'
import { addPasskey } from '../factors/passkey-calls.js'
import { ShownCodes } from '../factors/shown-codes.js'

/** For whoever can do nothing before they have a second factor. */
export function EnrolmentPage({ done }: { readonly done: () => void }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const goOn = async () => {
    // What they may do comes with a new token.
    await client.refresh()
    done()
  }
  const take = (recoveryCodes: readonly string[] | null) =>
    recoveryCodes ? setCodes(recoveryCodes) : void goOn()
  if (codes)
    return (
      <SmallPage title="Save your recovery codes">
        <ShownCodes codes={codes} done={goOn} />
      </SmallPage>
    )
  return <Ways take={take} />
}

function Ways({ take }: { readonly take: (codes: readonly string[] | null) => void }) {
  const [isWithApp, setIsWithApp] = useState(!supportsPasskeys())
  const passkey = useAction(() => addPasskey().then(take))
  const logout = useAction(() => leave(client))
  return (
    <SmallPage title="Set up a second factor">
      <p>
        Your account requires more than a password. Set it up once; then you go on where you were. If somebody
        else learns your password, it is of no use to them.
      </p>
      {isWithApp ? (
        <AuthenticatorSetup done={take} {...(supportsPasskeys() && { cancel: () => setIsWithApp(false) })} />
      ) : (
        <>
          <Failure error={passkey.error} />
          <div className="actions">
            <ActionButton kind="primary" action={passkey}>
              Add a passkey
            </ActionButton>
          </div>
          <p>
            <small>
              With your fingerprint, your face or the PIN of this device. The safest way, and the quickest.
            </small>
          </p>
          <p className="or">or</p>
          <div className="actions">
            <button type="button" onClick={() => setIsWithApp(true)}>
              Use an authenticator app
            </button>
          </div>
        </>
      )}
      <p className="links">
        <button type="button" className="link" onClick={() => void logout.run()}>
          Log out
        </button>
      </p>
    </SmallPage>
  )
}
