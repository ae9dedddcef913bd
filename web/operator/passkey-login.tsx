import type { PasskeyRequestOptions } from '@mainstay-auth/client'
import { signWithPasskey, supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { ActionButton } from '../pieces/forms/button.js'
import { useAction } from '../pieces/forms/use-action.js'
import { Icon } from '../pieces/icon.js'
import { Failure } from '../pieces/notices/notice.js'
import { tell } from './api.js'
import { t } from './language.js'

/** Renders nothing where the browser does not support passkeys. */
export function PasskeyLogin({ done }: { readonly done: () => Promise<void> }) {
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
