import { useEffect, useState, useSyncExternalStore } from 'react'
import { Icon } from '../icon.js'
import { breakable } from '../language/breakable.js'
import { t } from '../language/t.js'

const SHOWN_MS = 6_000
/** Nobody reads more at once. */
const MAX_TOASTS = 3

interface Toast {
  readonly id: number
  readonly text: string
}

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Says that something was done; disappears by itself. Errors instead stay beside their form. */
export function toast(text: string): void {
  lastId += 1
  change([...toasts, { id: lastId, text }].slice(-MAX_TOASTS))
}

/**
 * Where toasts appear, once per page. They are read out, and stay while somebody points at them or focuses them. They
 * go with the frame of the page, because they are not for the next person.
 */
export function Toasts() {
  const shown = useSyncExternalStore(listen, () => toasts)
  useEffect(() => () => change([]), [])
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, text }) => (
        <ToastCard key={id} text={text} dismiss={() => change(toasts.filter(other => other.id !== id))} />
      ))}
    </div>
  )
}

function ToastCard({ text, dismiss }: { readonly text: string; readonly dismiss: () => void }) {
  const [isHeld, setIsHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return undefined
    const timer = setTimeout(dismiss, SHOWN_MS)
    return () => clearTimeout(timer)
    // Without dismiss: another toast must not give this one more time.
  }, [isHeld])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only waits while somebody is here.
    <div
      className="toast"
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      <Icon name="check" />
      <span>{breakable(text)}</span>
      <button type="button" aria-label={t('common.dismiss')} onClick={dismiss}>
        <Icon name="close" />
      </button>
    </div>
  )
}

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
