import { t } from '../pieces/language/t.js'
import { Link } from '../pieces/router.js'

/** Shown beside the password field. */
export function ForgotLink() {
  return (
    <Link href="/forgot-password" className="field-link">
      {t('login.forgot')}
    </Link>
  )
}
