import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { t } from '../../../../pieces/language/t.js'
import { T } from '../../../../pieces/language/text.js'
import { When } from '../../../../pieces/time/when.js'
import { call } from '../../../api.js'
import { AuthenticatorSetup } from '../../../factors/authenticator-setup.js'
import type { FactorProps } from './factor-props.js'

export function Authenticator({ state, changed }: FactorProps) {
  if (!state.totp) return <AuthenticatorSetup done={codes => void changed(t('totp.isSetUp'), codes)} />
  return (
    <>
      <p>
        <T id="totp.since" date={<When at={state.totp.confirmedAt} />} />
      </p>
      <div className="actions">
        <ConfirmButton
          name={t('common.remove')}
          isFinal
          label={t('totp.remove')}
          question={t('totp.removeAsk')}
          confirm={t('totp.removeYes')}
          act={async () => {
            await call('DELETE', 'second-factor/totp')
            await changed(t('totp.removed'))
          }}
        >
          <p>{t('totp.removeMeans')}</p>
        </ConfirmButton>
      </div>
    </>
  )
}
