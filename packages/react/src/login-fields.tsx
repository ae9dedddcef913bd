'use client'
import { supportsPasskeys } from '@mainstay-auth/client/passkeys'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { LoginWords } from './login-words.js'
import { useSession } from './use-session.js'

/** Why somebody has to log in again; empty for those who logged out here, or were not logged in before. */
export function LogoutNotice({ words }: { readonly words: LoginWords }): ReactNode {
  const state = useSession()
  const cause = state.status === 'loggedOut' ? state.cause : undefined
  return (
    <p className="mainstay-news" role="status">
      {cause && words.causes[cause]}
    </p>
  )
}

/** Renders nothing on a server, nor where the browser does not support passkeys. */
export function PasskeyButton({
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

export function LabelledInput({
  label,
  takesFocus = false,
  ...input
}: {
  readonly label: string
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
      <input {...input} ref={field} id={id} required />
    </div>
  )
}
