import type { Client, FactorMethod } from '@mainstay-auth/client'
import { signWithPasskey } from '@mainstay-auth/client/passkeys'
import { type ReactNode, useState } from 'react'
import { ActionButton } from '../forms/button.js'
import { Form, type Texts } from '../forms/form.js'
import { PasswordField, Whose } from '../forms/password/password-fields.js'
import { useAction } from '../forms/use-action.js'
import { t } from '../language/t.js'
import type { Messages } from '../notices/messages.js'
import { Failure, Warning } from '../notices/notice.js'
import { CodeField, RecoveryCodeField } from './code-fields.js'
import { methodsHere, type Proof } from './proof.js'

/** The labels of the buttons that switch to another method. */
const wayNames = (): Readonly<Record<FactorMethod, string>> => ({
  password: t('proof.usePassword'),
  totp: t('proof.useApp'),
  passkey: t('proof.usePasskey'),
  recovery: t('proof.useRecovery'),
})

const messages = (): Messages => ({ INVALID_CREDENTIALS: t('password.wrong') })

/** Asks for one of the proofs that the service accepts; the person chooses which. */
export function ProofForm({
  client,
  methods,
  submit,
  send,
  email,
  children,
}: {
  readonly client: Client
  /** From the service's refusal. */
  readonly methods: readonly FactorMethod[]
  readonly submit: string
  readonly send: (proof: Proof) => Promise<unknown>
  /** Whose password may be asked for, once that is known. */
  readonly email?: string | undefined
  /** To choose before the proof, because a code is sent as soon as it is whole. */
  readonly children?: ReactNode
}) {
  const ways = methodsHere(methods)
  const [chosen, choose] = useState(ways[0])
  const passkey = useAction(async () =>
    send({ passkey: await signWithPasskey(await client.passkeyOptions()) }),
  )
  if (!chosen) return <Warning>{t('proof.noWay')}</Warning>
  const others = ways.filter(way => way !== chosen)
  return (
    <>
      {chosen === 'passkey' ? (
        <>
          {children}
          <Failure error={passkey.error} />
          <div className="actions">
            <ActionButton kind="primary" action={passkey}>
              {t('proof.usePasskey')}
            </ActionButton>
          </div>
        </>
      ) : (
        <Form key={chosen} submit={submit} send={texts => send(proofIn(texts))} messages={messages()}>
          {children}
          {chosen === 'password' && (
            <>
              <Whose email={email} />
              <PasswordField label={t('proof.yourPassword')} autoFocus />
            </>
          )}
          {chosen === 'totp' && <CodeField />}
          {chosen === 'recovery' && <RecoveryCodeField />}
          <Failure error={passkey.error} />
        </Form>
      )}
      {others.length > 0 && (
        <div className="ways">
          {others.map(way =>
            way === 'passkey' ? (
              <ActionButton key={way} action={passkey}>
                {wayNames()[way]}
              </ActionButton>
            ) : (
              <button key={way} type="button" onClick={() => choose(way)}>
                {wayNames()[way]}
              </button>
            ),
          )}
        </div>
      )}
    </>
  )
}

/** From the form's only field. */
function proofIn({ password, code, recoveryCode = '' }: Texts): Proof {
  if (password !== undefined) return { password }
  if (code !== undefined) return { code: code.replace(/\s/g, '') }
  return { recoveryCode: recoveryCode.trim() }
}
