import type { Client } from './client.js'
import { errorOf } from './mainstay-error.js'

interface Accent {
  /** `#rrggbb` */
  readonly color: string
  /** Of text on it, `#rrggbb`. */
  readonly ink: string
}

/** How the site of this page looks, and how people log in on it. */
export interface Site {
  /** Of a satellite without a name, its host. */
  readonly name: string
  /** https; null where it has none. */
  readonly logoUrl: string | null
  /** Of its buttons, legible on light and on dark pages. */
  readonly accent: { readonly light: Accent; readonly dark: Accent }
  /** With a password typed there, through the main site, or either. */
  readonly loginMode: 'password' | 'handoff' | 'both'
  readonly main: { readonly name: string; readonly logoUrl: string | null; readonly url: string }
  /** Whether anybody may create an account, at `/signup` of the main site. */
  readonly isSignUpOpen: boolean
}

const TIMEOUT_MS = 10_000
const known = new WeakMap<Client, Promise<Site>>()

/**
 * What the service says of the site of this page (`GET /api/site`), asked once for each client until it has answered. Throws
 * a `MainstayError` when the service refuses, and whatever `fetch` throws when nothing answers within ten seconds.
 */
export function siteOf(client: Client): Promise<Site> {
  const asked = known.get(client)
  if (asked) return asked
  const asking = ask(client.baseUrl)
  known.set(client, asking)
  asking.catch(() => known.delete(client))
  return asking
}

async function ask(baseUrl: string): Promise<Site> {
  const answer = await fetch(`${baseUrl}/api/site`, {
    credentials: 'omit',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!answer.ok) throw await errorOf(answer)
  return answer.json() as Promise<Site>
}
