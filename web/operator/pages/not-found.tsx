import { Empty } from '../../pieces/empty.js'
import { Page } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { t } from '../language.js'

export function NotFoundPage() {
  return (
    <Page title={t('console.notFound.title')}>
      <div className="card">
        <Empty
          icon="info"
          action={
            <Link href="/" className="button">
              {t('console.notFound.search')}
            </Link>
          }
        >
          {t('notFound.mistyped')}
        </Empty>
      </div>
    </Page>
  )
}
