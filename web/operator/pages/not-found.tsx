import { Page } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { t } from '../language.js'

export function NotFoundPage() {
  return (
    <Page title={t('console.notFound.title')}>
      <p>
        <Link href="/">{t('console.notFound.search')}</Link>
      </p>
    </Page>
  )
}
