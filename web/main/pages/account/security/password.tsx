import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { PasswordForm } from '../../../../pieces/forms/password/password-form.js'
import { t } from '../../../../pieces/language/t.js'
import { T } from '../../../../pieces/language/text.js'
import { Section } from '../../../../pieces/page.js'
import { Link } from '../../../../pieces/router.js'
import type { Person } from '../../../../pieces/shell/person-menu.js'
import { call } from '../../../api.js'
import type { FactorProps } from './factor-props.js'

/** To change the password, or to go without one. */
export function Password({ state, changed, person }: FactorProps & { readonly person: Person | null }) {
  const { hasPassword, passkeys, recoveryCodesLeft } = state
  if (!hasPassword)
    return (
      <Section title={t('field.password')}>
        <p>
          <T id="password.none" link={<Link href="/forgot-password" />} />
        </p>
      </Section>
    )
  const canDoWithout = passkeys > 1 || (passkeys > 0 && recoveryCodesLeft > 0)
  return (
    <>
      <Section title={t('field.password')}>
        <PasswordForm call={call} person={person} />
      </Section>
      {canDoWithout && (
        <Section title={t('password.without')}>
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
        </Section>
      )}
    </>
  )
}
