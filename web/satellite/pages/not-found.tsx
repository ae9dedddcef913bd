import { EmptyPage } from '../../pieces/empty.js'
import { t } from '../../pieces/language/t.js'
import { Page } from '../../pieces/page.js'

export function NotFoundPage() {
  return (
    <Page title={t('notFound.title')}>
      <EmptyPage link={t('satellite.toStart')}>{t('notFound.mistyped')}</EmptyPage>
    </Page>
  )
}
