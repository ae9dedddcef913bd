import { Hint, Warning } from '../../../../pieces/notice.js'
import { When } from '../../../../pieces/when.js'
import type { SecondFactor } from '../../../answers.js'

/** What the account requires of the user, and until when. */
export function Requirement({ state }: { readonly state: SecondFactor }) {
  const { required, requiredFrom, mustEnrol, totp, passkeys } = state
  const hasOne = totp !== null || passkeys > 0
  if (mustEnrol)
    return (
      <Warning>
        Your account requires a second factor. Add a passkey or an authenticator app to go on.
      </Warning>
    )
  if (required && hasOne) return <Hint>Your account requires a second factor, and you have one.</Hint>
  if (required)
    return (
      <Warning>
        Your account requires a second factor
        {requiredFrom && (
          <>
            {' '}
            from <When at={requiredFrom} />
          </>
        )}
        . Add a passkey or an authenticator app before that.
      </Warning>
    )
  if (hasOne) return null
  return (
    <Hint>
      Your password alone lets anybody in who learns it. A passkey or an authenticator app keeps them out.
    </Hint>
  )
}
