import type { Client, SecondFactor, SecondFactorRequired } from '@mainstay-auth/client'
import { type ReactNode, useEffect, useState } from 'react'
import { rescueFocus } from '../forms/focus.js'
import { t } from '../language/t.js'
import { ProofForm } from '../proof/proof-form.js'

/** The step after the right password. Only the main site remembers devices. */
export function SecondStep({
  client,
  step,
  complete,
  back,
  children,
}: {
  readonly client: Client
  readonly step: SecondFactorRequired
  readonly complete: (secondFactor: SecondFactor) => Promise<void>
  readonly back: () => void
  /** Links after the way back. */
  readonly children: ReactNode
}) {
  const { challenge, methods } = step
  // The button that led here is gone, and a passkey needs no field.
  useEffect(rescueFocus, [])
  const [rememberDevice, setRememberDevice] = useState(false)
  return (
    <>
      <ProofForm
        client={client}
        methods={methods}
        submit={t('login.title')}
        send={proof => complete({ challenge, ...proof, rememberDevice } as SecondFactor)}
      >
        {client.source === 'main' && (
          <p>
            <label className="choice">
              <input
                type="checkbox"
                checked={rememberDevice}
                onChange={event => setRememberDevice(event.target.checked)}
              />
              <span>
                {t('login.remember')}
                <small>{t('login.rememberHint')}</small>
              </span>
            </label>
          </p>
        )}
      </ProofForm>
      <p className="links">
        <button type="button" className="link" onClick={back}>
          {t('login.backToPassword')}
        </button>
        {children}
      </p>
    </>
  )
}
