'use client'
import type { FactorMethod } from '@mainstay-auth/client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { LabelledInput, PasskeyButton } from './login-fields.js'
import type { LoginWords } from './login-words.js'

/** What is still needed after the right password. */
export interface SecondStep {
  readonly challenge: string
  readonly methods: readonly FactorMethod[]
}

type Proof = { readonly code: string } | { readonly recoveryCode: string }

/** A code from the app, a recovery code or a passkey, whichever the user has. */
export function SecondFactorStep({
  step: { methods },
  words,
  isBusy,
  finish,
  finishWithPasskey,
  startAgain,
}: {
  readonly step: SecondStep
  readonly words: LoginWords
  readonly isBusy: boolean
  readonly finish: (proof: Proof) => void
  readonly finishWithPasskey: () => void
  readonly startAgain: () => void
}): ReactNode {
  const hasApp = methods.includes('totp')
  const [isRecovery, setIsRecovery] = useState(!hasApp && !methods.includes('passkey'))
  const hasField = isRecovery || hasApp
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('code'))
    finish(isRecovery ? { recoveryCode: text } : { code: text })
  }
  return (
    <div className="mainstay-form">
      {hasField && (
        <form className="mainstay-form" onSubmit={send} aria-busy={isBusy}>
          <LabelledInput
            key={String(isRecovery)}
            label={isRecovery ? words.recoveryCode : words.code}
            name="code"
            inputMode={isRecovery ? 'text' : 'numeric'}
            autoComplete="one-time-code"
            takesFocus
          />
          <button type="submit" className="mainstay-primary" aria-disabled={isBusy}>
            {words.goOn}
          </button>
        </form>
      )}
      {methods.includes('passkey') && (
        <PasskeyButton words={words} isBusy={isBusy} use={finishWithPasskey} takesFocus={!hasField} />
      )}
      {methods.includes('recovery') && (hasApp || !isRecovery) && (
        <button type="button" className="mainstay-link" onClick={() => setIsRecovery(!isRecovery)}>
          {isRecovery ? words.useCode : words.useRecoveryCode}
        </button>
      )}
      <button type="button" className="mainstay-link" onClick={startAgain}>
        {words.startAgain}
      </button>
    </div>
  )
}
