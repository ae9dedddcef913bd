import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** Where people want pictures of the pages: `TEST_OUTPUT=pictures npm test -- test/browser`. Nobody else waits for them. */
const FOLDER = process.env.TEST_OUTPUT

/** Keeps a picture of the whole page as `<name>.png`. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (FOLDER)
    await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true, animations: 'disabled' })
}
