import type { Client, FactorMethod } from '@mainstay-auth/client'
import { signWithPasskey } from '@mainstay-auth/client/passkeys'
import { type ReactNode, useState } from 'react'
import { ActionButton } from '../forms/button.js'
import { Form, type Texts } from '../forms/form.js'
import { PasswordField } from '../forms/password-fields.js'
import { useAction } from '../forms/use-action.js'
import type { Messages } from '../messages.js'
import { Failure, Warning } from '../notice.js'
import { CodeField, RecoveryCodeField } from './code-fields.js'
import { methodsHere, type Proof } from './proof.js'

/** What the button says that changes to another way. */
const WAYS: Readonly<Record<FactorMethod, string>> = {
  password: 'Use your password',
  totp: 'Use your authenticator app',
  passkey: 'Use a passkey',
  recovery: 'Use a recovery code',
}

const MESSAGES: Messages = { INVALID_CREDENTIALS: 'Wrong password.' }

/** Asks for one proof among those that the service takes; the person chooses which. */
export function ProofForm({
  client,
  methods,
  submit,
  send,
  children,
}: {
  readonly client: Client
  /** Of the service's refusal. */
  readonly methods: readonly FactorMethod[]
  readonly submit: string
  readonly send: (proof: Proof) => Promise<unknown>
  /** What else there is to fill in. */
  readonly children?: ReactNode
}) {
  const ways = methodsHere(methods)
  const [chosen, choose] = useState(ways[0])
  const passkey = useAction(async () =>
    send({ passkey: await signWithPasskey(await client.passkeyOptions()) }),
  )
  if (!chosen) return <Warning>{NO_WAY}</Warning>
  const others = ways.filter(way => way !== chosen)
  return (
    <>
      {chosen === 'passkey' ? (
        <>
          {children}
          <Failure error={passkey.error} />
          <div className="actions">
            <ActionButton kind="primary" action={passkey}>
              Use a passkey
            </ActionButton>
          </div>
        </>
      ) : (
        <Form key={chosen} submit={submit} send={texts => send(proofIn(texts))} messages={MESSAGES}>
          {chosen === 'password' && <PasswordField label="Your password" autoFocus />}
          {chosen === 'totp' && <CodeField />}
          {chosen === 'recovery' && <RecoveryCodeField />}
          {children}
          <Failure error={passkey.error} />
        </Form>
      )}
      {others.length > 0 && (
        <div className="ways">
          {others.map(way =>
            way === 'passkey' ? (
              <ActionButton key={way} action={passkey}>
                {WAYS[way]}
              </ActionButton>
            ) : (
              <button key={way} type="button" onClick={() => choose(way)}>
                {WAYS[way]}
              </button>
            ),
          )}
        </div>
      )}
    </>
  )
}

/** Of the one field that the form has. */
function proofIn({ password, code, recoveryCode = '' }: Texts): Proof {
  if (password !== undefined) return { password }
  if (code !== undefined) return { code: code.replace(/\s/g, '') }
  return { recoveryCode: recoveryCode.trim() }
}

const NO_WAY =
  'This browser cannot use any of your second factors. Please use another browser, or the device that has your passkey.'
