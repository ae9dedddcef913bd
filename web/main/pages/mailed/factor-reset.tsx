import { useState } from 'react'
import { t } from '../../../pieces/language/t.js'
import { WayOn } from '../../../pieces/way-on.js'
import { MailedPage } from './mailed-page.js'

/** For users who have lost their second factor, and for users who have not and must be told. */
export function FactorResetPage() {
  const [isWrong, setIsWrong] = useState(false)
  if (isWrong) return <StopFactorResetPage />
  return (
    <MailedPage
      title={t('factorReset.title')}
      path="second-factor-reset/confirm"
      submit={t('factorReset.submit')}
      doneTitle={t('factorReset.doneTitle')}
      done={t('factorReset.done')}
      anew={<p>{t('factorReset.anew')}</p>}
      instead={
        <button type="button" className="link" onClick={() => setIsWrong(true)}>
          {t('factorReset.notMe')}
        </button>
      }
    >
      <p>{t('factorReset.about')}</p>
      <p>{t('factorReset.onlyIf')}</p>
    </MailedPage>
  )
}

export function StopFactorResetPage() {
  return (
    <MailedPage
      title={t('factorKeep.title')}
      path="second-factor-reset/stop"
      submit={t('factorKeep.submit')}
      doneTitle={t('factorKeep.doneTitle')}
      done={t('factorKeep.done')}
      next={() => <WayOn href="/account/security">{t('factorKeep.next')}</WayOn>}
      anew={<WayOn href="/account/security">{t('factorKeep.next')}</WayOn>}
    >
      <p>{t('factorKeep.about')}</p>
    </MailedPage>
  )
}
