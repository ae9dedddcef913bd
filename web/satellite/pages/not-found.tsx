import { Page } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <p>
        The address may be mistyped. <Link href="/">Go to the start page</Link>
      </p>
    </Page>
  )
}
