import { MainstayError } from '@mainstay-auth/client'
import { askAsAnybody, call } from './api.js'

/** Where to go back to; null when that is not one of our sites: a link to anywhere else would lead people astray in our name. */
export interface SafeReturn {
  readonly url: string | null
}

/** For who is logged in: this site, or a satellite of theirs. */
export function ownReturn(url: string | null): Promise<SafeReturn> {
  return returnTo(url, async origin => {
    const { access } = await call<{ access: string }>(
      'GET',
      `handoff?satellite=${encodeURIComponent(origin)}`,
    )
    // Who may not be handed on there may log in with a password.
    return access === 'allowed' || access === 'access_denied'
  })
}

/** For anybody: this site, or a satellite of anybody's. */
export function anyReturn(url: string | null): Promise<SafeReturn> {
  return returnTo(url, async origin => {
    await askAsAnybody(`handoff/satellite?origin=${encodeURIComponent(origin)}`)
    return true
  })
}

async function returnTo(
  url: string | null,
  isSatellite: (origin: string) => Promise<boolean>,
): Promise<SafeReturn> {
  if (!url || !URL.canParse(url)) return { url: null }
  const { origin } = new URL(url)
  const isOurs = origin === location.origin || (await isSatellite(origin).catch(isNone))
  return { url: isOurs ? url : null }
}

function isNone(error: unknown): false {
  if (error instanceof MainstayError && error.status < 500) return false
  throw error
}
