import type { Page } from 'playwright-core'
import { ALLOWED, isPreflight, YES } from './false-answers.js'

/** What the service says of a link to an address, of somebody without an account. */
const OF_NOBODY = {
  email: 'rosa@example.com',
  accountName: null,
  invitedBy: null,
  satellites: null,
}

/** Pages take any link for a good one, as long as nobody uses it. */
export async function bearWithLinks(page: Page, about: object = {}): Promise<void> {
  await page.route('**/api/mailed-links/preview', route =>
    isPreflight(route)
      ? route.fulfill(YES)
      : route.fulfill({ headers: ALLOWED, json: { ...OF_NOBODY, ...about } }),
  )
}
