import { MainstayError } from '@mainstay-auth/client'
import { Page, SmallPage } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'

/** Within the frame of the account pages. */
export function NotFoundHere() {
  return (
    <Page title="Page not found">
      <p>It may have been removed, or the address may be mistyped.</p>
    </Page>
  )
}

export function NotFoundPage() {
  return (
    <SmallPage title="Page not found">
      <p>
        The address may be mistyped. <Link href="/account">Go to your account</Link>
      </p>
    </SmallPage>
  )
}

/** Whether what the page is about does not exist, or no longer. */
export function isNotFound(error: unknown): boolean {
  return error instanceof MainstayError && error.code === 'NOT_FOUND'
}
