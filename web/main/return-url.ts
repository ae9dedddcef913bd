import { site } from '../pieces/site.js'

/** The address to go back to, if it is on one of our sites: a link to anywhere else would lead people astray in our name. */
export function safeReturnUrl(url: string | null): string | null {
  if (!url || !URL.canParse(url)) return null
  return [location.origin, ...site.satellites].includes(new URL(url).origin) ? url : null
}
