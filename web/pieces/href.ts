/** A page of this site as a link leads to it: with two slashes at its start, it would be another site's. */
export function hrefOf({
  pathname,
  search,
  hash,
}: Readonly<Record<'pathname' | 'search' | 'hash', string>>): string {
  return pathname.replace(/^\/+/, '/') + search + hash
}
