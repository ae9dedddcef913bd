import { MainstayError } from '@mainstay-auth/client'
import { t } from '../../pieces/language/t.js'
import { Page, SmallPage } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'

/** Inside the frame of the account pages. */
export function NotFoundHere() {
  return (
    <Page title={t('notFound.title')}>
      <p>{t('notFound.removed')}</p>
    </Page>
  )
}

export function NotFoundPage() {
  return (
    <SmallPage title={t('notFound.title')}>
      <p>
        {t('notFound.mistyped')} <Link href="/account">{t('notFound.toAccount')}</Link>
      </p>
    </SmallPage>
  )
}

/** Whether the subject of the page does not exist, or no longer does. */
export function isNotFound(error: unknown): boolean {
  return error instanceof MainstayError && error.code === 'NOT_FOUND'
}
