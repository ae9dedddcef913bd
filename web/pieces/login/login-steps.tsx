import {
  type Client,
  type Credentials,
  isSecondFactorRequired,
  MainstayError,
  type SecondFactor,
  type SecondFactorRequired,
} from '@mainstay-auth/client'
import { type ReactNode, useEffect, useState } from 'react'
import { EmailField } from '../forms/field.js'
import { rescueFocus } from '../forms/focus.js'
import { Form } from '../forms/form.js'
import { PasswordField } from '../forms/password/password-fields.js'
import { t } from '../language/t.js'
import { Waiting } from '../loading/waiting.js'
import type { Messages } from '../notices/messages.js'
import { Warning } from '../notices/notice.js'
import { SmallPage } from '../page.js'
import { PasskeyLogin } from './passkey-login.js'
import { SecondStep } from './second-step.js'

export interface LoginStepsProps {
  readonly client: Client
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
  const [step, setStep] = useState<SecondFactorRequired | null>(null)
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
    <SmallPage title={step ? t('reauth.title') : title} lead={!step && lead}>
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
