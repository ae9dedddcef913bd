import { Page } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'

export function NotFoundPage() {
  return (
    <Page title="There is no such page">
      <p>
        <Link href="/">Search for an account or a user</Link>
      </p>
    </Page>
  )
}
