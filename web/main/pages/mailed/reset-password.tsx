import { NewPasswordField } from '../../../pieces/forms/password/password-fields.js'
import { t } from '../../../pieces/language/t.js'
import { Link } from '../../../pieces/router.js'
import { SiteLinks } from '../../../pieces/site/site-links.js'
import type { LoginSites } from '../../answers.js'
import { MailedPage } from './mailed-page.js'
import { ToLogin } from './to-login.js'

export function ResetPasswordPage() {
  return (
    <MailedPage<LoginSites>
      title={t('resetPassword.title')}
      path="password/reset"
      submit={t('resetPassword.submit')}
      done={t('resetPassword.done')}
      next={({ satellites }) => <ToSites origins={satellites} />}
      anew={<Link href="/forgot-password">{t('common.newLink')}</Link>}
    >
      <NewPasswordField label={t('password.new')} />
    </MailedPage>
  )
}

/** Where the user logs in; without origins, that is here. */
export function ToSites({ origins }: { readonly origins: LoginSites['satellites'] }) {
  return origins ? <SiteLinks origins={origins} /> : <ToLogin />
}
