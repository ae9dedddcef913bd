import { useState } from 'react'
import { useEffect, useLayoutEffect } from './activity.js'
import { Field, type FieldProps, Form } from './forms.js'
import type { Person } from './navigation.js'
import { Success } from './notices.js'
import { site } from './site.js'
import type { Level } from './strength.js'
import { t } from './t.js'
import { T } from './text.js'

/** For an existing password. It can be shown, to find typing mistakes. */
export function PasswordField({ label = t('field.password'), ...input }: Partial<FieldProps>) {
  const [isShown, setIsShown] = useState(false)
  return (
    <Field
      label={label}
      name="password"
      type={isShown ? 'text' : 'password'}
      autoComplete="current-password"
      autoCapitalize="none"
      spellCheck="false"
      required
      button={
        <button type="button" onClick={() => setIsShown(!isShown)}>
          <T
            id={isShown ? 'password.hide' : 'password.show'}
            field={label}
            unseen={<span className="unseen" />}
          />
        </button>
      }
      {...input}
    />
  )
}

/** Tells password managers whose password the form is about, where it does not ask for the address. */
export function Whose({ email }: { readonly email: string | undefined }) {
  return email ? <input type="email" autoComplete="username" value={email} readOnly hidden /> : null
}

/** For a new password; shows its strength as soon as somebody types. */
export function NewPasswordField({
  label = t('field.password'),
  person,
  defaultValue,
}: Pick<FieldProps, 'defaultValue'> & {
  readonly label?: string
  /** Who it is for, besides what they type in the same form. */
  readonly person?: Person | null
}) {
  const [form, setForm] = useState<HTMLFormElement | null>(null)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  // Before anything is typed.
  useLayoutEffect(() => {
    if (!form) return undefined
    const read = () => setTyped(Object.fromEntries(new FormData(form)) as Record<string, string>)
    // The name and the address may be corrected after the password.
    form.addEventListener('input', read)
    return () => form.removeEventListener('input', read)
  }, [form])
  const { password = '', email = '', name = '' } = { ...person, ...typed }
  return (
    <PasswordField
      label={label}
      autoComplete="new-password"
      defaultValue={defaultValue}
      minLength={8}
      hint={t('password.hint')}
      below={form && <StrengthMeter password={password} known={[email, name ?? '']} />}
      onFocus={event => setForm(event.target.form)}
    />
  )
}

type Measure = (password: string, host: string, known: readonly string[]) => Level

const levels = (): Readonly<Record<Level, { readonly text: string; readonly look: string }>> => ({
  1: { text: t('strength.weak'), look: 'weak' },
  2: { text: t('strength.fair'), look: 'fair' },
  3: { text: t('strength.good'), look: 'good' },
  4: { text: t('strength.veryGood'), look: 'good' },
})

/**
 * How hard a password is to guess, as it is typed. The code that measures it is large, so it is loaded when
 * somebody is about to choose a password; without it, only the service checks.
 */
function StrengthMeter({
  password,
  known,
}: {
  readonly password: string
  readonly known: readonly string[]
}) {
  const [measure, setMeasure] = useState<{ readonly levelOf: Measure } | null>(null)
  useEffect(() => {
    let isGone = false
    import('./strength.js').then(
      loaded => !isGone && setMeasure(loaded),
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [])
  if (!measure || password === '') return null
  const level = measure.levelOf(password, new URL(site.mainUrl).hostname, known)
  const { text, look } = levels()[level]
  return (
    <>
      <div className={`strength ${look}`} aria-hidden="true">
        {[1, 2, 3, 4].map(bar => (
          <span key={bar} className={bar <= level ? 'lit' : ''} />
        ))}
      </div>
      <small role="status">{text}</small>
    </>
  )
}

/** Changes one's own password. */
export function PasswordForm({
  call,
  person,
}: {
  readonly call: (method: 'POST', path: string, body: object) => Promise<unknown>
  readonly person: Person | null
}) {
  const [isDone, setIsDone] = useState(false)
  return (
    <Form
      submit={t('password.change')}
      messages={{ INVALID_CREDENTIALS: t('password.currentWrong') }}
      send={async ({ currentPassword, password }, form) => {
        setIsDone(false)
        await call('POST', 'password/change', { currentPassword, password })
        form.reset()
        setIsDone(true)
      }}
    >
      {isDone && <Success>{t('password.changed')}</Success>}
      <Whose email={person?.email} />
      <PasswordField label={t('password.current')} name="currentPassword" />
      <NewPasswordField label={t('password.new')} person={person} />
    </Form>
  )
}
