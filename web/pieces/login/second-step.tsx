import type { Client, SecondFactor, SecondFactorRequired } from '@mainstay-auth/client'
import { useEffect, useState } from 'react'
import { rescueFocus } from '../forms/focus.js'
import { ProofForm } from '../proof/proof-form.js'

/** The password was right. Devices are remembered on the main site alone. */
export function SecondStep({
  client,
  step,
  complete,
  back,
}: {
  readonly client: Client
  readonly step: SecondFactorRequired
  readonly complete: (secondFactor: SecondFactor) => Promise<void>
  readonly back: () => void
}) {
  const { challenge, methods } = step
  // The button that led here is gone, and a passkey needs no field.
  useEffect(rescueFocus, [])
  const [rememberDevice, setRememberDevice] = useState(false)
  return (
    <>
      <p>One more step: please show that it is you.</p>
      <ProofForm
        client={client}
        methods={methods}
        submit="Log in"
        send={proof => complete({ challenge, ...proof, rememberDevice } as SecondFactor)}
      >
        {client.source === 'main' && (
          <label className="choice">
            <input
              type="checkbox"
              checked={rememberDevice}
              onChange={event => setRememberDevice(event.target.checked)}
            />
            <span>
              Remember this device for 30 days
              <small>Your password is enough here until then. Not for a device that others use.</small>
            </span>
          </label>
        )}
      </ProofForm>
      <p className="links">
        <button type="button" className="link" onClick={back}>
          Back to the password
        </button>
      </p>
    </>
  )
}
