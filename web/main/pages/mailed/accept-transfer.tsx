import { t } from '../../../pieces/language/t.js'
import { T } from '../../../pieces/language/text.js'
import { When } from '../../../pieces/time/when.js'
import type { Transfer } from '../../answers.js'
import { MailedPage } from './mailed-page.js'
import { ToLogin } from './to-login.js'

export function AcceptTransferPage() {
  return (
    <MailedPage<Transfer>
      title={t('newOwner.title')}
      path="account/transfer/accept"
      submit={t('newOwner.submit')}
      done={t('newOwner.done')}
      next={({ readyAt }) => (
        <>
          <span>
            <T id="newOwner.earliest" date={<When at={readyAt} />} />
          </span>
          <ToLogin />
        </>
      )}
      anew={t('newOwner.anew')}
    >
      <p>{t('newOwner.about')}</p>
    </MailedPage>
  )
}
