import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { When } from '../../../../pieces/when.js'
import { call } from '../../../api.js'
import { AuthenticatorSetup } from '../../../factors/authenticator-setup.js'
import type { FactorProps } from './factor-props.js'

export function Authenticator({ state, changed }: FactorProps) {
  if (!state.totp)
    return <AuthenticatorSetup done={codes => void changed('Your authenticator app is set up.', codes)} />
  return (
    <>
      <p>
        Set up since <When at={state.totp.confirmedAt} />. After your password you enter a code that the app
        shows.
      </p>
      <div className="actions">
        <ConfirmButton
          name="Remove"
          label="Remove the authenticator app"
          question="Remove the authenticator app?"
          confirm="Remove it"
          act={async () => {
            await call('DELETE', 'second-factor/totp')
            await changed('The authenticator app is removed.')
          }}
        >
          <p>Its codes let nobody in any more. All devices that were remembered are forgotten.</p>
        </ConfirmButton>
      </div>
    </>
  )
}
