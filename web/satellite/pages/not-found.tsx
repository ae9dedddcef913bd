import { Page } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'

export function NotFoundPage() {
  return (
    <Page title="There is nothing here">
      <p>
        The address may be mistyped. <Link href="/">Go to the first page</Link>
      </p>
    </Page>
  )
}
