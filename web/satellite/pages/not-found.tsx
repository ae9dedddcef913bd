import { t } from '../../pieces/language/t.js'
import { Page } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'

export function NotFoundPage() {
  return (
    <Page title={t('notFound.title')}>
      <p>
        {t('notFound.mistyped')} <Link href="/">{t('satellite.toStart')}</Link>
      </p>
    </Page>
  )
}
