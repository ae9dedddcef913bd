import { MainstayError } from '@mainstay-auth/client'
import { EmptyPage, Page, SmallPage, WayOn } from '../../pieces/page.js'
import { t } from '../../pieces/t.js'

/** Inside the frame of the account pages. */
export function NotFoundHere() {
  return (
    <Page title={t('notFound.title')}>
      <EmptyPage href="/account" link={t('notFound.toAccount')}>
        {t('notFound.removed')}
      </EmptyPage>
    </Page>
  )
}

export function NotFoundPage() {
  return (
    <SmallPage title={t('notFound.title')} lead={t('notFound.mistyped')}>
      <WayOn href="/account">{t('notFound.toAccount')}</WayOn>
    </SmallPage>
  )
}

/** Whether the subject of the page does not exist, or no longer does. */
export function isNotFound(error: unknown): boolean {
  return error instanceof MainstayError && error.code === 'NOT_FOUND'
}
