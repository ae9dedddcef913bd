import { ActionRow } from '../../../../pieces/forms/action-row.js'
import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { t } from '../../../../pieces/language/t.js'
import { Warning } from '../../../../pieces/notices/notice.js'
import type { NewRecoveryCodes } from '../../../answers.js'
import { call } from '../../../api.js'
import type { FactorProps } from './factor-props.js'

/** With this many left, it is time for new ones. */
const FEW = 3

export function RecoveryCodes({ state, changed }: FactorProps) {
  const { recoveryCodesLeft: left, totp, passkeys } = state
  const make = async () => {
    const { recoveryCodes } = await call<NewRecoveryCodes>('POST', 'second-factor/recovery-codes')
    await changed(t('codes.renewed'), recoveryCodes)
  }
  const first = useAction(make)
  if (!totp && passkeys === 0) return <p>{t('codes.later')}</p>
  if (left === 0)
    return (
      <>
        <Warning isMild>{t('codes.none')}</Warning>
        <ActionRow action={first}>{t('codes.make')}</ActionRow>
      </>
    )
  return (
    <>
      <p>
        {t('codes.left', { left })}
        {left <= FEW && ` ${t('codes.few')}`}
      </p>
      <div className="actions">
        <ConfirmButton
          name={t('codes.makeNew')}
          isFinal
          question={t('codes.makeNewAsk')}
          confirm={t('codes.makeNewYes')}
          act={make}
        >
          <p>{t('codes.makeNewMeans')}</p>
        </ConfirmButton>
      </div>
    </>
  )
}
