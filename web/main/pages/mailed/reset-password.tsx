import { NewPasswordField } from '../../../pieces/forms/password/password-fields.js'
import { t } from '../../../pieces/language/t.js'
import { SiteLinks } from '../../../pieces/site/site-links.js'
import { WayOn } from '../../../pieces/way-on.js'
import type { LoginSites } from '../../answers.js'
import { MailedPage } from './mailed-page.js'
import { ToLogin } from './to-login.js'

export function ResetPasswordPage() {
  return (
    <MailedPage<LoginSites>
      title={t('resetPassword.title')}
      path="password/reset"
      submit={t('resetPassword.submit')}
      doneTitle={t('resetPassword.doneTitle')}
      done={t('resetPassword.done')}
      next={({ satellites }) => <ToSites origins={satellites} />}
      anew={<WayOn href="/forgot-password">{t('common.newLink')}</WayOn>}
    >
      {link => (
        <NewPasswordField label={t('password.new')} person={link && { email: link.email, name: null }} />
      )}
    </MailedPage>
  )
}

/** Where the user logs in; without origins, that is here. */
export function ToSites({ origins }: { readonly origins: LoginSites['satellites'] }) {
  if (!origins) return <ToLogin />
  return (
    <div className="actions">
      <SiteLinks origins={origins} look={origins.length > 1 ? 'button' : 'button primary'} />
    </div>
  )
}
