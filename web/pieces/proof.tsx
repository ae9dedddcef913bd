import type { Client, FactorMethod } from '@mainstay-auth/client'
import { signWithPasskey, supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { type ChangeEvent, type ReactNode, useRef, useState } from 'react'
import { ActionButton, Field, Form, type Texts, useAction } from './forms.js'
import { Failure, type Messages, Warning } from './notices.js'
import { PasswordField, Whose } from './password.js'
import { t } from './t.js'

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

/** Six digits from an authenticator app. They submit their form by themselves, the same ones only once. */
export function CodeField({ label = t('field.code') }: { readonly label?: string }) {
  const sent = useRef('')
  const sendWhole = ({ target: { value, form } }: ChangeEvent<HTMLInputElement>) => {
    const digits = value.replace(/\s/g, '')
    const isOnItsWay = form?.querySelector('[aria-busy=true]')
    if (!/^\d{6}$/.test(digits) || digits === sent.current || isOnItsWay) return
    sent.current = digits
    form?.requestSubmit()
  }
  return (
    <Field
      label={label}
      name="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      // Apps show it in two groups, and people type it that way.
      pattern="[0-9 ]{6,8}"
      title={t('field.sixDigits')}
      maxLength={8}
      spellCheck="false"
      className="code"
      onChange={sendWhole}
      autoFocus
      required
    />
  )
}

function RecoveryCodeField() {
  return (
    <Field
      label={t('field.recoveryCode')}
      name="recoveryCode"
      hint={t('field.recoveryHint')}
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck="false"
      maxLength={32}
      className="code"
      autoFocus
      required
    />
  )
}

/** One proof of identity, in the form that the service accepts. */
type Proof =
  | { readonly password: string }
  | { readonly code: string }
  | { readonly recoveryCode: string }
  | { readonly passkey: object }

/** Those of the service's methods that this browser supports, in the order in which people are asked. */
function methodsHere(methods: readonly FactorMethod[]): readonly FactorMethod[] {
  const order: readonly FactorMethod[] = ['password', 'totp', 'passkey', 'recovery']
  return order.filter(method => methods.includes(method) && (method !== 'passkey' || supportsPasskeys()))
}
