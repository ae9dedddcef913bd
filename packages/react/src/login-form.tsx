'use client'
import {
  type Caller,
  type FactorMethod,
  isSecondFactorRequired,
  type MainstayError,
} from '@mainstay-auth/client'
import { type LoginWords, sentenceFor, withEnglish } from '@mainstay-auth/client/login'
import { loginWithPasskey, signWithPasskey, supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useClient, useSession } from './provider.js'

/** Why the user has to log in again; empty for those who logged out here, or were not logged in before. */
function LogoutNotice({ words }: { readonly words: LoginWords }): ReactNode {
  const state = useSession()
  const cause = state.status === 'loggedOut' ? state.cause : undefined
  return (
    <p className="mainstay-news" role="status">
      {cause && words.causes[cause]}
    </p>
  )
}

/** Renders nothing on a server, nor where the browser does not support passkeys. */
function PasskeyButton({
  words,
  isBusy,
  use,
  takesFocus = false,
}: {
  readonly words: LoginWords
  readonly isBusy: boolean
  readonly use: () => void
  /** For a step that has just begun and has no field. */
  readonly takesFocus?: boolean
}): ReactNode {
  const [isPossible, setIsPossible] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => setIsPossible(supportsPasskeys()), [])
  useEffect(() => {
    if (isPossible && takesFocus) button.current?.focus()
  }, [isPossible, takesFocus])
  if (!isPossible) return null
  return (
    <button ref={button} type="button" className="mainstay-secondary" aria-disabled={isBusy} onClick={use}>
      {words.usePasskey}
    </button>
  )
}

function LabelledInput({
  label,
  takesFocus = false,
  link,
  button,
  ...input
}: {
  readonly label: string
  /** Beside the label, and in the field. */
  readonly link?: ReactNode
  readonly button?: ReactNode
  readonly name: string
  readonly type?: string
  readonly inputMode?: 'numeric' | 'text'
  readonly autoComplete: string
  readonly defaultValue?: string | undefined
  /** For the field of a step that has just begun. */
  readonly takesFocus?: boolean
}): ReactNode {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const takesFocusAtFirst = useRef(takesFocus)
  useEffect(() => {
    if (takesFocusAtFirst.current) field.current?.focus()
  }, [])
  return (
    <div className="mainstay-field">
      <label htmlFor={id}>{label}</label>
      <div className="mainstay-input">
        <input {...input} ref={field} id={id} required />
        {button}
      </div>
      {link}
    </div>
  )
}

function PasswordField({
  words,
  takesFocus,
  forgot,
}: {
  readonly words: LoginWords
  readonly takesFocus: boolean
  readonly forgot: ReactNode
}): ReactNode {
  const [isShown, setIsShown] = useState(false)
  return (
    <LabelledInput
      label={words.password}
      name="password"
      type={isShown ? 'text' : 'password'}
      autoComplete="current-password"
      takesFocus={takesFocus}
      link={forgot}
      button={
        <button type="button" className="mainstay-show" onClick={() => setIsShown(!isShown)}>
          {isShown ? words.hide : words.show}
          <span className="mainstay-unseen"> {words.password}</span>
        </button>
      }
    />
  )
}

/** What is still needed after the right password. */
interface SecondStep {
  readonly challenge: string
  readonly methods: readonly FactorMethod[]
}

type Proof = { readonly code: string } | { readonly recoveryCode: string }

/** A code from the app, a recovery code or a passkey, whichever the user has. */
function SecondFactorStep({
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

export interface LoginFormProps {
  /** Called once a user is logged in. `<SignedIn>` and the hooks do not need it: they update by themselves. */
  readonly onLogin?: (caller: Caller) => void
  /**
   * Called with every refusal, such as `HANDOFF_REQUIRED`, in addition to what the form shows, and with the e-mail
   * address that was typed; null when none was, as with a passkey.
   */
  readonly onRefusal?: (error: unknown, email: string | null) => void
  /** Offers passkeys in the first step, where the browser supports them. They belong to the main site's domain. */
  readonly passkeys?: boolean
  /** The initial e-mail address. */
  readonly defaultEmail?: string
  /** Texts that replace the built-in ones. */
  readonly words?: Partial<LoginWords>
  readonly className?: string
  /** Below the form, in its first step: a link for a forgotten password, say. */
  readonly children?: ReactNode
}

/**
 * Logs in with e-mail address and password, then with a second factor where the user has one. Has no styles
 * of its own: `@mainstay-auth/react/styles.css` provides some, by the class names `mainstay-…`. `<SignIn>` has it in a card.
 */
export function LoginForm({ className = '', words, children, ...props }: LoginFormProps): ReactNode {
  return (
    <div className={`mainstay-login ${className}`.trim()}>
      <LoginSteps {...props} words={withEnglish(words)} below={children} />
    </div>
  )
}

/** The steps of a login, without what is around them. */
export function LoginSteps({
  onLogin,
  onRefusal,
  onStep,
  passkeys = false,
  hasPassword = true,
  defaultEmail,
  words,
  above,
  forgot,
  below,
}: Pick<LoginFormProps, 'onLogin' | 'onRefusal' | 'passkeys' | 'defaultEmail'> & {
  readonly words: LoginWords
  /** Tells which step has begun. */
  readonly onStep?: (step: 'first' | 'second') => void
  /** False where people may not type their password: then the first step is what is above and below it. */
  readonly hasPassword?: boolean
  /** Above and below the fields, in the first step; what is above them is told the address that was typed last. */
  readonly above?: (email: string | null) => ReactNode
  readonly below?: ReactNode
  /** At the field of the password. */
  readonly forgot?: ReactNode
}): ReactNode {
  const client = useClient()
  const [step, setStep] = useState<SecondStep | null>(null)
  // Kept for users who have to start again.
  const [email, setEmail] = useState<string | null>(null)
  const [sentence, setSentence] = useState<string | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const begin = (next: SecondStep | null) => {
    setStep(next)
    onStep?.(next ? 'second' : 'first')
  }
  // Two presses may come before the next render.
  const isRunning = useRef(false)
  const run = async (login: () => Promise<Caller | null>, typed = email) => {
    if (isRunning.current) return
    isRunning.current = true
    setIsBusy(true)
    setSentence(null)
    let caller: Caller | null = null
    try {
      caller = await login()
    } catch (error) {
      if (isSecondFactorRequired(error)) return begin(error)
      if ((error as MainstayError).code === 'CHALLENGE_EXPIRED') begin(null)
      setSentence(sentenceFor(error, words))
      onRefusal?.(error, typed)
    } finally {
      isRunning.current = false
      setIsBusy(false)
    }
    // What this throws is a fault of the page, not a refusal.
    if (caller) onLogin?.(caller)
  }
  return (
    <>
      {step ? (
        <SecondFactorStep
          step={step}
          words={words}
          isBusy={isBusy}
          finish={proof => run(() => client.completeSecondFactor({ challenge: step.challenge, ...proof }))}
          finishWithPasskey={() =>
            run(async () => {
              const passkey = await signWithPasskey(await client.passkeyOptions())
              return client.completeSecondFactor({ challenge: step.challenge, passkey })
            })
          }
          startAgain={() => {
            begin(null)
            setSentence(null)
          }}
        />
      ) : (
        <>
          <LogoutNotice words={words} />
          {above?.(email)}
          {hasPassword && (
            <PasswordStep
              words={words}
              isBusy={isBusy}
              defaultEmail={email ?? defaultEmail}
              isAgain={email !== null}
              forgot={forgot}
              logIn={credentials => {
                setEmail(credentials.email)
                void run(() => client.login(credentials), credentials.email)
              }}
            />
          )}
          {passkeys && (
            <PasskeyButton
              words={words}
              isBusy={isBusy}
              use={() => run(() => loginWithPasskey(client), null)}
            />
          )}
          {below}
        </>
      )}
      <p className="mainstay-error" role="alert">
        {sentence}
      </p>
    </>
  )
}

function PasswordStep({
  words,
  isBusy,
  defaultEmail,
  isAgain,
  forgot,
  logIn,
}: {
  readonly words: LoginWords
  readonly isBusy: boolean
  readonly defaultEmail: string | undefined
  /** The user has come back from the second step. */
  readonly isAgain: boolean
  readonly forgot: ReactNode
  readonly logIn: (credentials: { email: string; password: string }) => void
}): ReactNode {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    logIn({ email: String(form.get('email')), password: String(form.get('password')) })
  }
  return (
    <form className="mainstay-form" onSubmit={send} aria-busy={isBusy}>
      <LabelledInput
        label={words.email}
        name="email"
        type="email"
        autoComplete="username"
        defaultValue={defaultEmail}
      />
      <PasswordField words={words} takesFocus={isAgain} forgot={forgot} />
      <button type="submit" className="mainstay-primary" aria-disabled={isBusy}>
        {words.logIn}
      </button>
    </form>
  )
}
