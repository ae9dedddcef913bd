'use client'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useClient, useUser } from './provider.js'

export interface UserButtonProps {
  /** Links and buttons for the menu, above the one that logs out. */
  readonly children?: ReactNode
  readonly words?: { readonly menu?: string; readonly logOut?: string }
  readonly className?: string
  /**
   * Called when the service knows that the user has logged out with this button: to navigate to another page,
   * say.
   */
  readonly onLogout?: () => void
}

/**
 * Who is logged in, as a button that opens a menu with your links and a button to log out; nothing when
 * no user is.
 */
export function UserButton({ children, words = {}, className = '', onLogout }: UserButtonProps): ReactNode {
  const { menu = 'Account menu', logOut = 'Log out' } = words
  const client = useClient()
  const { user } = useUser()
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const whole = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const menuElement = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return undefined
    const place = () => keepInWindow(menuElement.current, opener.current)
    place()
    itemsOf(whole.current)[0]?.focus()
    const close = ({ target }: Event) => {
      if (!whole.current?.contains(target as Node)) setIsOpen(false)
    }
    document.addEventListener('pointerdown', close)
    document.addEventListener('focusin', close)
    window.addEventListener('resize', place)
    return () => {
      document.removeEventListener('pointerdown', close)
      document.removeEventListener('focusin', close)
      window.removeEventListener('resize', place)
    }
  }, [isOpen])
  if (!user) return null
  const onKey = (event: KeyboardEvent) => {
    if (!isOpen) return
    if (event.key === 'Escape') {
      setIsOpen(false)
      opener.current?.focus()
    }
    const items = itemsOf(whole.current)
    const next =
      items[nextIndex(event.key, items.indexOf(document.activeElement as HTMLElement), items.length)]
    if (!next) return
    // Otherwise the page would scroll.
    event.preventDefault()
    next.focus()
  }
  const name = user.name ?? user.email ?? ''
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of what is in it.
    <div ref={whole} className={`mainstay-user ${className}`.trim()} onKeyDown={onKey}>
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
      <div ref={menuElement} id={id} className="mainstay-menu" hidden={!isOpen}>
        <p className="mainstay-who">
          {user.name && <strong>{user.name}</strong>} <span>{user.email}</span>
        </p>
        {children}
        <button
          type="button"
          onClick={() => {
            setIsOpen(false)
            // They are logged out here at once; this resolves when the service knows.
            void client
              .logout()
              .catch(() => {})
              .then(() => onLogout?.())
          }}
        >
          {logOut}
        </button>
      </div>
    </div>
  )
}

/** In pixels, to the window's edges. */
const MARGIN = 8

/**
 * Moves a menu that sticks out of the window to the other side of its opener, or as far as there is room. Where it opens is
 * for the styles to say.
 */
function keepInWindow(menu: HTMLElement | null, opener: HTMLElement | null): void {
  if (!menu || !opener) return
  menu.style.translate = ''
  const { left, right } = menu.getBoundingClientRect()
  const side = opener.getBoundingClientRect()
  const end = document.documentElement.clientWidth - MARGIN
  if (left < MARGIN)
    menu.style.translate = `${Math.max(MARGIN - left, Math.min(side.left - left, end - right))}px`
  else if (right > end)
    menu.style.translate = `${Math.min(end - right, Math.max(side.right - right, MARGIN - left))}px`
}

function itemsOf(whole: HTMLElement | null): HTMLElement[] {
  return [...(whole?.querySelectorAll<HTMLElement>('.mainstay-menu :is(a, button)') ?? [])]
}

/** The item to focus after item `index` of `count`; -1 for a key that means nothing in a menu. */
function nextIndex(key: string, index: number, count: number): number {
  if (key === 'ArrowDown') return (index + 1) % count
  if (key === 'ArrowUp') return (index <= 0 ? count : index) - 1
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : -1
}

/** From the first two words of a name, or the first letter of an address. */
function initialsOf(name: string): string {
  const words = name.split(/[\s@.]+/).filter(Boolean)
  const shown = name.includes('@') ? words.slice(0, 1) : words.slice(0, 2)
  return shown.map(word => [...word][0]?.toUpperCase()).join('')
}
