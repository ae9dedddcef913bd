import { Empty } from '../../pieces/empty.js'
import { t } from '../../pieces/language/t.js'
import { Page } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'

export function NotFoundPage() {
  return (
    <Page title={t('notFound.title')}>
      <div className="card">
        <Empty
          icon="info"
          action={
            <Link href="/" className="button">
              {t('satellite.toStart')}
            </Link>
          }
        >
          {t('notFound.mistyped')}
        </Empty>
      </div>
    </Page>
  )
}
