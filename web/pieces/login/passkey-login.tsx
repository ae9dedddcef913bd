import { type Client, MainstayError } from '@mainstay-auth/client'
import { loginWithPasskey, supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ActionButton } from '../forms/button.js'
import { useAction } from '../forms/use-action.js'
import { Icon } from '../icon.js'
import { t } from '../language/t.js'
import { Failure } from '../notices/notice.js'

/** Passkeys, both in autofill and with a button. Renders nothing where the browser does not support them. */
export function PasskeyLogin({
  client,
  done,
}: {
  readonly client: Client
  readonly done: (() => void) | undefined
}) {
  const autofill = useAutofill(client, done)
  const login = useAction(async () => {
    // A browser allows only one such request at a time.
    autofill.stop()
    autofill.clear()
    await loginWithPasskey(client).finally(autofill.start)
    done?.()
  })
  if (!supportsPasskeys()) return null
  return (
    <>
      <p className="or">{t('common.or')}</p>
      <Failure error={login.error ?? autofill.error} />
      <div className="actions">
        <ActionButton action={login}>
          <Icon name="key" />
          {t('proof.usePasskey')}
        </ActionButton>
      </div>
    </>
  )
}

/** Waits, as long as the page is shown, for a passkey to be chosen in the field. */
function useAutofill(client: Client, done: (() => void) | undefined) {
  const waiting = useRef<AbortController | null>(null)
  const [error, setError] = useState<unknown>(null)
  // A login by the button ends after the form that it has replaced.
  const isGone = useRef(false)
  const latest = useRef(done)
  latest.current = done
  const stop = useCallback(() => waiting.current?.abort(), [])
  const start = useCallback(() => {
    if (isGone.current) return
    waiting.current?.abort()
    const round = new AbortController()
    waiting.current = round
    loginWithPasskey(client, { conditional: true, signal: round.signal }).then(
      caller => caller && latest.current?.(),
      (failure: unknown) => {
        // Autofill is a convenience: what the browser says against it is not reported.
        if (round.signal.aborted || isOfBrowser(failure)) return
        setError(failure)
        if (failure instanceof MainstayError) start()
      },
    )
  }, [client])
  useEffect(() => {
    isGone.current = false
    start()
    return () => {
      isGone.current = true
      stop()
    }
  }, [start, stop])
  return { start, stop, error, clear: () => setError(null) }
}

/** A WebAuthn error; a lost network is a TypeError, and a TimeoutError comes from the request. */
function isOfBrowser(failure: unknown): boolean {
  return failure instanceof DOMException && failure.name !== 'TimeoutError'
}
