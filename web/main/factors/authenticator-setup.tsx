import { useState } from 'react'
import { ActionRow } from '../../pieces/forms/action-row.js'
import { CopyButton } from '../../pieces/forms/copy-button.js'
import { Form } from '../../pieces/forms/form.js'
import { useAction } from '../../pieces/forms/use-action.js'
import { t } from '../../pieces/language/t.js'
import { T } from '../../pieces/language/text.js'
import { CodeField } from '../../pieces/proof/code-fields.js'
import type { NewRecoveryCodes } from '../answers.js'
import { call } from '../api.js'
import { QrCode } from './qr-code.js'

/** What is shown to an authenticator app once. */
interface TotpSecret {
  readonly secret: string
  readonly uri: string
}

/** Sets up an authenticator app; it counts once a code from it has been verified. */
export function AuthenticatorSetup({
  done,
  cancel,
}: {
  /** Called with the recovery codes, if these are the first. */
  readonly done: (codes: readonly string[] | null) => void
  readonly cancel?: () => void
}) {
  const [totp, setTotp] = useState<TotpSecret | null>(null)
  const begin = useAction(async () => setTotp(await call<TotpSecret>('POST', 'second-factor/totp')))
  if (!totp)
    return (
      <>
        <p>{t('totp.about')}</p>
        <ActionRow action={begin}>{t('totp.setUp')}</ActionRow>
        {cancel && (
          <div className="actions">
            <button type="button" onClick={cancel}>
              {t('common.cancel')}
            </button>
          </div>
        )}
      </>
    )
  const confirm = async ({ code = '' }) => {
    const { recoveryCodes } = await call<NewRecoveryCodes>('POST', 'second-factor/totp/confirm', {
      code: code.replace(/\s/g, ''),
    })
    done(recoveryCodes)
  }
  return (
    <>
      <ol className="steps">
        <li>
          <p>{t('totp.scan')}</p>
          <QrCode text={totp.uri} label={t('totp.qrCode')} />
          <p>
            <T id="totp.byHand" link={<a href={totp.uri} />} />
          </p>
          <p className="secret">
            <code>{inGroups(totp.secret)}</code> <CopyButton text={totp.secret} label={t('totp.copyKey')} />
          </p>
        </li>
        <li>
          <p>{t('totp.enterCode')}</p>
        </li>
      </ol>
      <Form
        submit={t('totp.confirm')}
        send={confirm}
        cancel={cancel ?? (() => setTotp(null))}
        messages={{
          SECOND_FACTOR_INVALID: t('totp.wrongCode'),
        }}
      >
        <CodeField label={t('totp.code')} />
      </Form>
    </>
  )
}

/** In groups, which are easier to compare and to type. */
function inGroups(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, '$1 ')
}
