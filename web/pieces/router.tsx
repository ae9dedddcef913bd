import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { hrefOf } from './href.js'
import { sharedValue } from './shared-value.js'

/** What a page knows about its address. Each navigation makes another one, also to the same address. */
export interface Place {
  readonly path: string
  readonly query: URLSearchParams
  /** With its `#`; empty if there is none. */
  readonly hash: string
  /** All of it, as a link within the site leads here. */
  readonly href: string
}

const place = sharedValue(placeHere())
addEventListener('popstate', () => {
  if (mayLeave()) return arrive()
  // The browser has gone back already.
  history.pushState(null, '', place.read().href)
})

/** Each says whether its page may be left. */
const holds = new Set<() => boolean>()

/** Asks before the page is left, also by the browser itself. Returns a function that lets it go. */
export function holdPage(mayBeLeft: () => boolean): () => void {
  const warn = (event: Event) => event.preventDefault()
  holds.add(mayBeLeft)
  addEventListener('beforeunload', warn)
  return () => {
    holds.delete(mayBeLeft)
    removeEventListener('beforeunload', warn)
  }
}

function mayLeave(): boolean {
  return [...holds].every(mayBeLeft => mayBeLeft())
}

/** Navigates to a path of this site without reloading it; `state` is what `history.state` is there from then on. */
export function go(path: string, { replace = false, state = null as string | null } = {}): boolean {
  if (!mayLeave()) return false
  history[replace ? 'replaceState' : 'pushState'](state, '', path)
  if (!replace) scrollTo(0, 0)
  arrive()
  return true
}

export function usePlace(): Place {
  return place.useValue()
}

/** Returns whether the person is still on the page where they are now: what they have left leads nowhere. */
export function watchPage(): () => boolean {
  const { path } = place.read()
  return () => place.read().path === path
}

/** A link within the site. Clicks that ask for a new tab or window are left to the browser. */
export function Link({
  href,
  state = null,
  onFollow,
  children,
  ...attributes
}: AnchorHTMLAttributes<HTMLAnchorElement> & {
  readonly href: string
  /** As of {@link go}. */
  readonly state?: string | null
  /** Called once it has led there, in this tab. */
  readonly onFollow?: () => void
}) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    if (go(href, { state })) onFollow?.()
  }
  return (
    <a {...attributes} href={href} onClick={follow}>
      {children}
    </a>
  )
}

function arrive(): void {
  place.set(placeHere())
}

function placeHere(): Place {
  const { pathname: path, search, hash } = location
  return { path, query: new URLSearchParams(search), hash, href: hrefOf(location) }
}

/** A page that is still here after this has not been left: the network is down, or somebody pressed Escape. */
const PATIENCE_MS = 10_000

/**
 * Waits until this page is gone. An action that sends the browser elsewhere stays busy that long, so that a
 * second click does nothing.
 */
export function untilLeft(): Promise<void> {
  return new Promise(resolve => {
    addEventListener('pagehide', () => resolve(), { once: true })
    setTimeout(resolve, PATIENCE_MS)
  })
}
