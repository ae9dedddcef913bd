'use client'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useClient } from './provider.js'
import { useUser } from './use-user.js'

export interface UserButtonProps {
  /** Links and buttons of the menu, above the one to log out. */
  readonly children?: ReactNode
  readonly words?: { readonly menu?: string; readonly logOut?: string }
  readonly className?: string
}

/** Who is logged in, as a button that opens a menu with your links and the way out; nothing when nobody is. */
export function UserButton({ children, words = {}, className = '' }: UserButtonProps): ReactNode {
  const { menu = 'Account menu', logOut = 'Log out' } = words
  const client = useClient()
  const { user } = useUser()
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const whole = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen) return undefined
    whole.current?.querySelector<HTMLElement>('.mainstay-menu a, .mainstay-menu button')?.focus()
    const close = ({ target }: Event) => {
      if (!whole.current?.contains(target as Node)) setIsOpen(false)
    }
    document.addEventListener('pointerdown', close)
    document.addEventListener('focusin', close)
    return () => {
      document.removeEventListener('pointerdown', close)
      document.removeEventListener('focusin', close)
    }
  }, [isOpen])
  if (!user) return null
  const closeByKey = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !isOpen) return
    setIsOpen(false)
    opener.current?.focus()
  }
  const name = user.name ?? user.email ?? ''
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the Escape of what is in it.
    <div ref={whole} className={`mainstay-user ${className}`.trim()} onKeyDown={closeByKey}>
      <button
        ref={opener}
        type="button"
        className="mainstay-user-button"
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={name ? `${menu}: ${name}` : menu}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className="mainstay-avatar" aria-hidden="true">
          {initialsOf(name)}
        </span>
      </button>
      <div id={id} className="mainstay-menu" hidden={!isOpen}>
        <p className="mainstay-who">
          {user.name && <strong>{user.name}</strong>} <span>{user.email}</span>
        </p>
        {children}
        <button
          type="button"
          onClick={() => {
            setIsOpen(false)
            void client.logout()
          }}
        >
          {logOut}
        </button>
      </div>
    </div>
  )
}

/** Of the first two words of a name, or the first letter of an address. */
function initialsOf(name: string): string {
  const words = name.split(/[\s@.]+/).filter(Boolean)
  const shown = name.includes('@') ? words.slice(0, 1) : words.slice(0, 2)
  return shown.map(word => [...word][0]?.toUpperCase()).join('')
}
