import { MainstayError } from '@mainstay-auth/client'
import { Empty } from '../../pieces/empty.js'
import { t } from '../../pieces/language/t.js'
import { Page, SmallPage } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'

/** Inside the frame of the account pages. */
export function NotFoundHere() {
  return (
    <Page title={t('notFound.title')}>
      <div className="card">
        <Empty icon="info" action={<ToAccount />}>
          {t('notFound.removed')}
        </Empty>
      </div>
    </Page>
  )
}

export function ToAccount() {
  return (
    <Link href="/account" className="button">
      {t('notFound.toAccount')}
    </Link>
  )
}

export function NotFoundPage() {
  return (
    <SmallPage title={t('notFound.title')} lead={t('notFound.mistyped')}>
      <p className="links">
        <Link href="/account">{t('notFound.toAccount')}</Link>
      </p>
    </SmallPage>
  )
}

/** Whether the subject of the page does not exist, or no longer does. */
export function isNotFound(error: unknown): boolean {
  return error instanceof MainstayError && error.code === 'NOT_FOUND'
}
