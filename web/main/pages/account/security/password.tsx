import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { PasswordForm } from '../../../../pieces/forms/password/password-form.js'
import { t } from '../../../../pieces/language/t.js'
import { T } from '../../../../pieces/language/text.js'
import { Link } from '../../../../pieces/router.js'
import type { Person } from '../../../../pieces/shell/person-menu.js'
import { call } from '../../../api.js'
import type { FactorProps } from './factor-props.js'

/** To change the password, or to go without one. */
export function Password({ state, changed, person }: FactorProps & { readonly person: Person | null }) {
  const { hasPassword, passkeys, recoveryCodesLeft } = state
  if (!hasPassword)
    return (
      <p>
        <T id="password.none" link={<Link href="/forgot-password" />} />
      </p>
    )
  const canDoWithout = passkeys > 1 || (passkeys > 0 && recoveryCodesLeft > 0)
  return (
    <>
      <PasswordForm call={call} person={person} />
      {canDoWithout && (
        <>
          <h3>{t('password.without')}</h3>
          <p>{t('password.withoutAbout')}</p>
          <div className="actions">
            <ConfirmButton
              name={t('password.giveUp')}
              question={t('password.giveUpAsk')}
              confirm={t('password.giveUpYes')}
              act={async () => {
                await call('DELETE', 'password')
                await changed(t('password.givenUp'))
              }}
            >
              <p>{t('password.giveUpMeans')}</p>
            </ConfirmButton>
          </div>
        </>
      )}
    </>
  )
}
