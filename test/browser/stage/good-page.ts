import { expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { findings } from './accessibility.js'
import { keepScreenshot } from './screenshot.js'

const SCREENS = [
  { name: 'desktop', size: { width: 1280, height: 800 }, colorScheme: 'light' },
  // The narrowest that WCAG 2.2 (1.4.10) wants a page to fit on.
  { name: 'phone-dark', size: { width: 320, height: 740 }, colorScheme: 'dark' },
] as const

/** Pictures of the page as it is now, which everybody can use and which fits on every screen. It is wide and light afterwards. */
export async function expectGoodPage(page: Page, name: string): Promise<void> {
  for (const screen of SCREENS) {
    await page.setViewportSize(screen.size)
    await page.emulateMedia({ colorScheme: screen.colorScheme, reducedMotion: 'reduce' })
    await keepScreenshot(page, `${name}-${screen.name}`)
    expect(await findings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  }
  await page.setViewportSize(SCREENS[0].size)
  await page.emulateMedia({ colorScheme: SCREENS[0].colorScheme })
}
