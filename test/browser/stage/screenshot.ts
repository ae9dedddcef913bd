import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** Where people find the pictures after a test run. */
const FOLDER = process.env.TEST_OUTPUT ?? join(__dirname, '../../../test-output')

/** Keeps a picture of the whole page as `<name>.png`. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true, animations: 'disabled' })
}
