import type { PasskeyRequestOptions } from '@mainstay-auth/client'
import { signWithPasskey, supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { ActionButton, EmailField, Field, Form, type Texts, useAction } from '../../pieces/forms.js'
import { Icon } from '../../pieces/icon.js'
import { Failure, Hint } from '../../pieces/notices.js'
import { SmallPage } from '../../pieces/page.js'
import { PasswordField } from '../../pieces/password.js'
import { tell } from '../api.js'
import { t } from '../language.js'

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

/** Renders nothing where the browser does not support passkeys. */
function PasskeyLogin({ done }: { readonly done: () => Promise<void> }) {
  const login = useAction(async () => {
    const options = await tell<PasskeyRequestOptions>('login/passkey/options', {})
    await tell('login/passkey', { response: await signWithPasskey(options) })
    await done()
  })
  if (!supportsPasskeys()) return null
  return (
    <>
      <p className="or">{t('common.or')}</p>
      <Failure error={login.error} />
      <div className="actions">
        <ActionButton action={login}>
          <Icon name="key" />
          {t('console.login.passkey')}
        </ActionButton>
      </div>
    </>
  )
}

/** For six digits from the operator's app. */
export function CodeField() {
  return (
    <Field label={t('field.code')} name="code" inputMode="numeric" autoComplete="one-time-code" required />
  )
}
