import { t } from '../pieces/language/t.js'
import { Link, usePlace } from '../pieces/router.js'

/** Where a login has more to its address than its path. */
const WITH_MORE = /^\/(subscribe\?|handoff#)/

/** Shown beside the password field; the page it leads to can lead back here. */
export function ForgotLink() {
  const { path, query, hash } = usePlace()
  const here = `${path}${query.size > 0 ? `?${query}` : ''}${hash}`
  const next = WITH_MORE.test(here) ? `#next=${encodeURIComponent(here)}` : ''
  return (
    <Link href={`/forgot-password${next}`} className="field-link">
      {t('login.forgot')}
    </Link>
  )
}

/** The address of the login that led here; what anybody else may have written leads to the usual one. */
export function useLoginAddress(): string {
  const next = new URLSearchParams(usePlace().hash.slice(1)).get('next') ?? ''
  return WITH_MORE.test(next) ? next : '/login'
}
