import { ActionRow } from '../../../../pieces/forms/action-row.js'
import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { Warning } from '../../../../pieces/notice.js'
import type { NewRecoveryCodes } from '../../../answers.js'
import { call } from '../../../api.js'
import type { FactorProps } from './factor-props.js'

/** Few enough to think of new ones. */
const FEW = 3

export function RecoveryCodes({ state, changed }: FactorProps) {
  const { recoveryCodesLeft: left, totp, passkeys } = state
  const make = async () => {
    const { recoveryCodes } = await call<NewRecoveryCodes>('POST', 'second-factor/recovery-codes')
    await changed('You have new recovery codes. The old ones no longer work.', recoveryCodes)
  }
  const first = useAction(make)
  if (!totp && passkeys === 0)
    return (
      <p>You get ten when you add a passkey or an authenticator app, for the day on which you lose it.</p>
    )
  if (left === 0)
    return (
      <>
        <Warning>
          You have no recovery codes. Without your device nobody can let you in but your account’s managers.
        </Warning>
        <ActionRow action={first}>Make recovery codes</ActionRow>
      </>
    )
  return (
    <>
      <p>
        {left === 1 ? 'One code is' : `${left} codes are`} left. Each works once, in place of your second
        factor.
        {left <= FEW && ' Please make new ones soon.'}
      </p>
      <div className="actions">
        <ConfirmButton
          name="Make new recovery codes"
          question="Make new recovery codes?"
          confirm="Make new ones"
          act={make}
        >
          <p>The codes that you have now no longer work.</p>
        </ConfirmButton>
      </div>
    </>
  )
}
