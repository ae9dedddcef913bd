import { EmailField } from '../../pieces/forms/field.js'
import { Form, type Texts } from '../../pieces/forms/form.js'
import { PasswordField } from '../../pieces/forms/password/password-fields.js'
import { Hint } from '../../pieces/notices/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { tell } from '../api.js'
import { CodeField } from '../code-field.js'
import { t } from '../language.js'
import { PasskeyLogin } from '../passkey-login.js'

export function LoginPage({
  hadLogin,
  done,
}: {
  /** Whether the operator was logged in on this page before. */
  readonly hadLogin: boolean
  readonly done: () => Promise<void>
}) {
  const send = async ({ email, password, code }: Texts) => {
    await tell('login', { email, password, code })
    await done()
  }
  return (
    <SmallPage title={t('console.title')}>
      {hadLogin && <Hint>{t('console.login.ended')}</Hint>}
      <Form
        submit={t('console.login.submit')}
        send={send}
        messages={{ INVALID_CREDENTIALS: t('console.login.wrong') }}
      >
        <EmailField />
        <PasswordField autoComplete="current-password" />
        <CodeField />
      </Form>
      <PasskeyLogin done={done} />
    </SmallPage>
  )
}
