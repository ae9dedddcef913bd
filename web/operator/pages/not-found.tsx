import { EmptyPage, Page } from '../../pieces/page.js'
import { t } from '../language.js'

/** For an address without a page, and where the subject of the page does not exist, or no longer does. */
export function NotFoundPage({ wasThere = false }: { readonly wasThere?: boolean }) {
  return (
    <Page title={t('notFound.title')}>
      <EmptyPage link={t('console.notFound.search')}>
        {t(wasThere ? 'notFound.removed' : 'notFound.mistyped')}
      </EmptyPage>
    </Page>
  )
}
