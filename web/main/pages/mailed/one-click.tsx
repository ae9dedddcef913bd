import { t } from '../../../pieces/language/t.js'
import { T } from '../../../pieces/language/text.js'
import { WayOn } from '../../../pieces/way-on.js'
import { MailedPage } from './mailed-page.js'

export function UndoEmailPage() {
  return (
    <MailedPage
      title={t('undoEmail.title')}
      path="email/undo"
      submit={t('undoEmail.submit')}
      doneTitle={t('undoEmail.doneTitle')}
      done={t('undoEmail.done')}
      anew={<WayOn href="/forgot-password">{t('resetPassword.title')}</WayOn>}
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
      doneTitle={t('notMe.doneTitle')}
      done={t('notMe.done')}
      anew={<WayOn href="/forgot-password">{t('resetPassword.title')}</WayOn>}
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
      doneTitle={t('stopTransfer.doneTitle')}
      done={t('stopTransfer.done')}
      next={() => <WayOn href="/forgot-password">{t('resetPassword.title')}</WayOn>}
      anew={<WayOn href="/account/settings">{t('stopTransfer.anew')}</WayOn>}
    >
      <p>{t('stopTransfer.about')}</p>
    </MailedPage>
  )
}
