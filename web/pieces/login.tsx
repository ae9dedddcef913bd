import {
  type Client,
  type Credentials,
  isSecondFactorRequired,
  MainstayError,
  type SecondFactor,
  type SecondFactorRequired,
} from '@mainstay-auth/client'
import { loginWithPasskey, supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import { useEffect } from './activity.js'
import { rescueFocus } from './focus.js'
import { ActionButton, EmailField, Form, useAction } from './forms.js'
import { Icon } from './icon.js'
import { Waiting } from './loading.js'
import { Failure, type Messages, Warning } from './notices.js'
import { SmallPage } from './page.js'
import { PasswordField } from './password.js'
import { ProofForm } from './proof.js'
import { t } from './t.js'

export interface LoginStepsProps {
  readonly client: Client
  /** A login whose first step was done elsewhere: begins with the second. */
  readonly begun?: SecondFactorRequired
  /** Of the first step; the second has another. */
  readonly title?: string | undefined
  readonly lead?: string
  readonly loginHint?: string
  readonly kind?: 'primary' | 'plain'
  /** For errors that are worded differently in the first step. */
  readonly messages?: Messages
  readonly onEmail?: (email: string) => void
  readonly done?: () => void
  /** For people without a password at hand; shown at its field. */
  readonly forgot?: ReactNode
  /** Above the first step. */
  readonly above?: ReactNode
  /** Above either step: what the login is about. */
  readonly about?: ReactNode
  /** Below the first step. */
  readonly below?: ReactNode
  /** Until it is known what the login is about, there is no step. */
  readonly isWaiting?: boolean
  /** Links below either step; in the second, they follow the way back to the first. */
  readonly children?: ReactNode
}

/**
 * The page of a login with e-mail address and password, then with a second factor if the user has one; or with a passkey.
 */
export function LoginSteps({
  client,
  begun,
  title = t('login.title'),
  lead,
  loginHint = '',
  kind,
  messages,
  onEmail,
  done,
  forgot,
  above,
  about,
  below,
  isWaiting = false,
  children,
}: LoginStepsProps) {
  const isMain = client.source === 'main'
  const [typed, setTyped] = useState<Credentials>({ email: loginHint, password: '' })
  const [step, setStep] = useState<SecondFactorRequired | null>(begun ?? null)
  const [hasExpired, setHasExpired] = useState(false)
  useEffect(() => {
    if (hasExpired) rescueFocus()
  }, [hasExpired])
  const begin = async (credentials: Credentials) => {
    setHasExpired(false)
    try {
      await client.login(credentials)
      done?.()
    } catch (refusal) {
      if (!isSecondFactorRequired(refusal)) throw refusal
      setTyped(credentials)
      setStep(refusal)
    }
  }
  const complete = async (secondFactor: SecondFactor) => {
    try {
      await client.completeSecondFactor(secondFactor)
      done?.()
    } catch (refusal) {
      if (!(refusal instanceof MainstayError && refusal.code === 'CHALLENGE_EXPIRED')) throw refusal
      setHasExpired(true)
      setStep(null)
    }
  }
  return (
    <SmallPage title={step ? t('login.secondStep') : title} lead={!step && lead}>
      {!step && above}
      {about}
      {isWaiting ? (
        <Waiting />
      ) : step ? (
        <SecondStep client={client} step={step} complete={complete} back={() => setStep(null)}>
          {children}
        </SecondStep>
      ) : (
        <>
          {hasExpired && <Warning isAnswer>{t('login.expired')}</Warning>}
          <Form
            submit={t('login.title')}
            kind={kind}
            messages={messages}
            send={({ email = '', password = '' }) => begin({ email, password })}
          >
            <EmailField
              // Browsers offer passkeys in a field that declares this.
              autoComplete={isMain ? 'username webauthn' : 'username'}
              defaultValue={typed.email}
              autoFocus={isMain && typed.email === ''}
              onChange={event => onEmail?.(event.target.value)}
            />
            <PasswordField defaultValue={typed.password} autoFocus={typed.email !== ''} below={forgot} />
          </Form>
          {isMain && <PasskeyLogin client={client} done={done} />}
          {below}
          {children && <p className="links">{children}</p>}
        </>
      )}
    </SmallPage>
  )
}

/** The step after the right password. Only the main site remembers devices. */
function SecondStep({
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
                defaultChecked={rememberDevice}
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

/** Passkeys, both in autofill and with a button. Renders nothing where the browser does not support them. */
function PasskeyLogin({
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
