import { t } from '../pieces/language/t.js'
import { Link, usePlace } from '../pieces/router.js'
import { isLogin } from './next.js'

/** Shown beside the password field; the page it leads to can lead back here. */
export function ForgotLink() {
  const { href } = usePlace()
  const next = isLogin(href) ? `#next=${encodeURIComponent(href)}` : ''
  return (
    <Link href={`/forgot-password${next}`} className="field-link">
      {t('login.forgot')}
    </Link>
  )
}

/** The address of the login that led here; what anybody else may have written leads to the usual one. */
export function useLoginAddress(): string {
  const next = new URLSearchParams(usePlace().hash.slice(1)).get('next') ?? ''
  return isLogin(next) ? next : '/login'
}
