import { t } from '../../../pieces/language/t.js'
import { T } from '../../../pieces/language/text.js'
import { Link } from '../../../pieces/router.js'
import { MailedPage } from './mailed-page.js'

export function UndoEmailPage() {
  return (
    <MailedPage
      title={t('undoEmail.title')}
      path="email/undo"
      submit={t('undoEmail.submit')}
      done={t('undoEmail.done')}
      anew={<Link href="/forgot-password">{t('resetPassword.title')}</Link>}
    >
      <p>
        <T id="undoEmail.about" />
      </p>
    </MailedPage>
  )
}

export function NotMePage() {
  return (
    <MailedPage
      title={t('notMe.title')}
      path="sessions/not-me"
      submit={t('notMe.submit')}
      done={t('notMe.done')}
      anew={<Link href="/forgot-password">{t('resetPassword.title')}</Link>}
    >
      <p>{t('notMe.about')}</p>
    </MailedPage>
  )
}

export function StopTransferPage() {
  return (
    <MailedPage
      title={t('stopTransfer.title')}
      path="account/transfer/stop"
      submit={t('stopTransfer.title')}
      done={t('stopTransfer.done')}
      next={() => <Link href="/forgot-password">{t('resetPassword.title')}</Link>}
      anew={<Link href="/account/settings">{t('stopTransfer.anew')}</Link>}
    >
      <p>{t('stopTransfer.about')}</p>
    </MailedPage>
  )
}
