import { useState } from 'react'
import { t } from '../../../pieces/language/t.js'
import { Link } from '../../../pieces/router.js'
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
      done={t('factorReset.done')}
      anew={t('factorReset.anew')}
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
      done={t('factorKeep.done')}
      next={() => <Link href="/account/security">{t('factorKeep.next')}</Link>}
      anew={<Link href="/account/security">{t('factorKeep.next')}</Link>}
    >
      <p>{t('factorKeep.about')}</p>
    </MailedPage>
  )
}
