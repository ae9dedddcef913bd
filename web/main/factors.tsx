import { createPasskey, forgetPasskey, type RemovedPasskey } from '@mainstay-auth/client/passkeys'
import { useState } from 'react'
import { encode } from 'uqr'
import { ActionRow, CopyButton, Form, useAction } from '../pieces/forms.js'
import { Warning } from '../pieces/notices.js'
import { CodeField } from '../pieces/proof.js'
import { t } from '../pieces/t.js'
import { T } from '../pieces/text.js'
import { call, type NewRecoveryCodes, saveAs } from './api.js'

/** New recovery codes, which can be seen only this once. */
export function ShownCodes({
  codes,
  done,
}: {
  readonly codes: readonly string[]
  readonly done: () => unknown
}) {
  const text = `${codes.join('\n')}\n`
  const heading = `${t('codes.fileHead', { host: location.host })}\n\n`
  return (
    <>
      <Warning isMild>{t('codes.about')}</Warning>
      <ul className="codes print" aria-label={t('codes.title')}>
        {codes.map(code => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="actions">
        <CopyButton text={text} label={t('codes.copy')} />
        <button type="button" onClick={() => saveAs(new Blob([heading, text]), 'recovery-codes.txt')}>
          {t('common.download')}
        </button>
        <button type="button" onClick={() => print()}>
          {t('codes.print')}
        </button>
      </div>
      <Form submit={t('common.continue')} send={async () => done()}>
        <label className="choice">
          <input type="checkbox" required />
          {t('codes.saved')}
        </label>
      </Form>
    </>
  )
}

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

/** The margin that scanners need around the code. */
const QUIET_MODULES = 4

/** A QR code, always dark on white, whatever the colours of the page, because scanners need that. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_MODULES })
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  )
}

/** Has this device create a passkey. Resolves with the recovery codes if these are the first. */
export async function addPasskey(): Promise<readonly string[] | null> {
  const options = await call<object>('POST', 'passkeys/options')
  const response = await createPasskey(options)
  return (await call<NewRecoveryCodes>('POST', 'passkeys', { response })).recoveryCodes
}

/** Removes it, both here and from what the browser offers. */
export async function removePasskey(id: string): Promise<void> {
  await forgetPasskey(await call<RemovedPasskey>('DELETE', `passkeys/${id}`))
}
