import { EmptyPage } from '../../pieces/empty.js'
import { Page } from '../../pieces/page.js'
import { t } from '../language.js'

export function NotFoundPage() {
  return (
    <Page title={t('console.notFound.title')}>
      <EmptyPage link={t('console.notFound.search')}>{t('notFound.mistyped')}</EmptyPage>
    </Page>
  )
}
