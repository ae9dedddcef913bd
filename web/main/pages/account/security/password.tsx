import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { PasswordForm } from '../../../../pieces/forms/password-form.js'
import { Link } from '../../../../pieces/router.js'
import { call } from '../../../api.js'
import type { FactorProps } from './factor-props.js'

/** To change it, and to live without one. */
export function Password({ state, changed }: FactorProps) {
  const { hasPassword, passkeys, recoveryCodesLeft } = state
  if (!hasPassword)
    return (
      <p>
        You have none: you log in with your passkeys. To have one again,{' '}
        <Link href="/forgot-password">ask for a link</Link>.
      </p>
    )
  const canDoWithout = passkeys > 1 || (passkeys > 0 && recoveryCodesLeft > 0)
  return (
    <>
      <PasswordForm call={call} />
      {canDoWithout && (
        <>
          <h3>Without a password</h3>
          <p>
            You have passkeys, so you can give up the password. Nobody can guess or steal a password that does
            not exist.
          </p>
          <div className="actions">
            <ConfirmButton
              name="Give up the password"
              question="Give up your password?"
              confirm="Give it up"
              act={async () => {
                await call('DELETE', 'password')
                await changed('You have no password any more. Your passkeys let you in.')
              }}
            >
              <p>
                From then on you log in with your passkeys alone. A mail can always bring a password back,
                from “Forgot your password?”.
              </p>
            </ConfirmButton>
          </div>
        </>
      )}
    </>
  )
}
