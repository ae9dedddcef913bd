import { t } from '../../../pieces/language/t.js'
import { T } from '../../../pieces/language/text.js'
import { When } from '../../../pieces/time/when.js'
import type { Transfer } from '../../answers.js'
import { MailedPage } from './mailed-page.js'

export function AcceptTransferPage() {
  return (
    <MailedPage<Transfer>
      title={t('newOwner.title')}
      path="account/transfer/accept"
      submit={t('newOwner.submit')}
      doneTitle={t('newOwner.doneTitle')}
      done={({ readyAt }) => <T id="newOwner.done" date={<When at={readyAt} />} />}
      anew={<p>{t('newOwner.anew')}</p>}
    >
      <p>{t('newOwner.about')}</p>
    </MailedPage>
  )
}
