import { isSharedDomain, isWithin } from '../domain.js'
import type { Settings } from '../settings.js'

type Addresses = Pick<Settings, 'cookieDomain' | 'mainOrigin' | 'publicUrl'>

/**
 * A browser only takes the cookie if both the main site and the API lie under its domain (RFC 6265bis §5.7).
 */
export function cookieDomainFaults({ cookieDomain, mainOrigin, publicUrl }: Addresses): string[] {
  if (!cookieDomain) return []
  const others = [mainOrigin, publicUrl]
    .filter(text => URL.canParse(text))
    .map(text => new URL(text).hostname)
    .filter(hostname => hostname !== cookieDomain)
  const uncovered = others.filter(hostname => !isWithin(hostname, cookieDomain))
  if (uncovered.length > 0)
    return uncovered.map(
      hostname =>
        `COOKIE_DOMAIN ${cookieDomain} does not cover ${hostname}, so browsers would refuse the cookie`,
    )
  if (others.length === 0 || !isSharedDomain(cookieDomain)) return []
  return [
    `COOKIE_DOMAIN ${cookieDomain} is shared by everybody who has a name under it, so browsers would refuse the cookie`,
  ]
}
