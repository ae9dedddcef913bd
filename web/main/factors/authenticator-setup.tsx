import { useState } from 'react'
import { ActionRow } from '../../pieces/forms/action-row.js'
import { CopyButton } from '../../pieces/forms/copy-button.js'
import { Form } from '../../pieces/forms/form.js'
import { useAction } from '../../pieces/forms/use-action.js'
import { CodeField } from '../../pieces/proof/code-fields.js'
import type { NewRecoveryCodes } from '../answers.js'
import { call } from '../api.js'
import { QrCode } from './qr-code.js'

/** What an authenticator app is given once. */
interface TotpSecret {
  readonly secret: string
  readonly uri: string
}

/** Sets up an authenticator app; it counts once a code of it was right. */
export function AuthenticatorSetup({
  done,
  cancel,
}: {
  /** With the recovery codes, if these are the first. */
  readonly done: (codes: readonly string[] | null) => void
  readonly cancel?: () => void
}) {
  const [totp, setTotp] = useState<TotpSecret | null>(null)
  const begin = useAction(async () => setTotp(await call<TotpSecret>('POST', 'second-factor/totp')))
  if (!totp)
    return (
      <>
        <p>
          An app on your phone shows a new code of six digits every 30 seconds; you enter it after your
          password.
        </p>
        <ActionRow action={begin}>Set up an authenticator app</ActionRow>
        {cancel && <Cancel cancel={cancel} />}
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
          <p>Scan this code with the app, such as Google Authenticator, Aegis or your password manager.</p>
          <QrCode text={totp.uri} label="QR code for the authenticator app; the key below says the same" />
          <p>
            The app is on this device? <a href={totp.uri}>Open it</a>, or enter this key by hand:
          </p>
          <p className="secret">
            <code>{inGroups(totp.secret)}</code> <CopyButton text={totp.secret} label="Copy the key" />
          </p>
        </li>
        <li>
          <p>Enter the code that the app shows now.</p>
        </li>
      </ol>
      <Form
        submit="Confirm the code"
        send={confirm}
        messages={{
          SECOND_FACTOR_INVALID: 'This code is wrong. Please enter the one that the app shows now.',
        }}
      >
        <CodeField label="Code of the app" />
      </Form>
      <Cancel cancel={cancel ?? (() => setTotp(null))} />
    </>
  )
}

function Cancel({ cancel }: { readonly cancel: () => void }) {
  return (
    <p className="links">
      <button type="button" className="link" onClick={cancel}>
        Cancel
      </button>
    </p>
  )
}

/** Easier to compare and to type. */
function inGroups(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, '$1 ')
}
