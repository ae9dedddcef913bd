import { MainstayError } from '@mainstay-auth/client'
import { useState } from 'react'
import { PasswordField } from '../../../pieces/forms/password/password-fields.js'
import { t } from '../../../pieces/language/t.js'
import { WayOn } from '../../../pieces/way-on.js'
import { callAsWhoeverIsHere } from '../../api.js'
import { MailedPage } from './mailed-page.js'

/**
 * In the browser where the change was requested, the session is proof enough; elsewhere the page asks for the
 * password.
 */
export function ConfirmEmailPage() {
  const [needsPassword, setNeedsPassword] = useState(false)
  const send = async (path: string, body: object) => {
    try {
      return await callAsWhoeverIsHere<null>(path, body)
    } catch (error) {
      if (error instanceof MainstayError && error.code === 'REAUTHENTICATION_REQUIRED') setNeedsPassword(true)
      throw error
    }
  }
  return (
    <MailedPage
      title={t('newEmail.title')}
      path="email/confirm"
      submit={t('newEmail.submit')}
      doneTitle={t('newEmail.doneTitle')}
      done={t('newEmail.done')}
      send={send}
      anew={<WayOn href="/account/security">{t('common.newLink')}</WayOn>}
      messages={{
        REAUTHENTICATION_REQUIRED: t('newEmail.passwordToo'),
        INVALID_CREDENTIALS: t('password.wrong'),
      }}
    >
      <p>{t('newEmail.about')}</p>
      {needsPassword && <PasswordField label={t('newEmail.password')} />}
    </MailedPage>
  )
}
