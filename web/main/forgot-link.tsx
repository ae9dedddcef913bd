import { t } from '../pieces/language/t.js'
import { Link } from '../pieces/router.js'

/** Stands beside the field for the password. */
export function ForgotLink() {
  return (
    <Link href="/forgot-password" className="field-link">
      {t('login.forgot')}
    </Link>
  )
}
