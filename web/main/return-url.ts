import { MainstayError } from '@mainstay-auth/client'
import { hostOf } from '../pieces/site.js'
import { acceptableReturn } from './acceptable-return.js'
import { askAsAnybody, call } from './api.js'

/**
 * Where to return to. Both are null when that is not one of our sites, because a link to anywhere else would
 * mislead people in our name.
 */
export type SafeReturn =
  | { readonly url: null; readonly site: null }
  | {
      readonly url: string
      /** The readable name of the site: its host, preceded by the site's name for people who are admitted there. */
      readonly site: string
    }

/** What the service tells logged-in users about a satellite. */
interface Destination {
  readonly access: string
  readonly name: string
  readonly branding: { readonly name: string } | null
}

/** For people who are logged in: this site, or one of their satellites. */
export function ownReturn(url: string | null): Promise<SafeReturn> {
  return returnTo(url, async origin => {
    const path = `handoff?satellite=${encodeURIComponent(origin)}`
    const { access, name, branding } = await call<Destination>('GET', path)
    if (access === 'allowed') return nameWithHost(branding?.name ?? name, hostOf(origin))
    // People who cannot be handed off there may still log in with a password.
    return access === 'access_denied' ? hostOf(origin) : null
  })
}

/** For all users: this site, or any satellite. */
export function anyReturn(url: string | null): Promise<SafeReturn> {
  return returnTo(url, async origin => {
    await askAsAnybody(`handoff/satellite?origin=${encodeURIComponent(origin)}`)
    return hostOf(origin)
  })
}

async function returnTo(
  url: string | null,
  nameOf: (origin: string) => Promise<string | null>,
): Promise<SafeReturn> {
  const safe = url && acceptableReturn(url)
  if (!safe) return NOWHERE
  const { origin } = new URL(safe)
  const site = origin === location.origin ? hostOf(origin) : await nameOf(origin).catch(noName)
  return site === null ? NOWHERE : { url: safe, site }
}

const NOWHERE: SafeReturn = { url: null, site: null }

/** The person who registered a satellite chose its name, so its host is shown beside it. */
function nameWithHost(name: string, host: string): string {
  return name === host ? host : `${name} (${host})`
}

function noName(error: unknown): null {
  if (error instanceof MainstayError && error.status < 500) return null
  throw error
}
