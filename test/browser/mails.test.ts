import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { en, htmlOf, LANGUAGES, MailLanguage, type MailName, sampleMail } from '../sources.js'
import { seriousFindings } from './stage/accessibility.js'
import { sharedChromium } from './stage/chromium.js'
import { keepScreenshot } from './stage/screenshot.js'

const PATIENCE_MS = 120_000
/** The narrowest phone, what most mail programs give a mail, and a wide window. */
const WIDTHS = [320, 600, 1280]
const THEMES = ['light', 'dark'] as const
const SENDER = {
  ...{ name: 'Harbour Supplies', host: 'www.harbour-supplies.example', logoUrl: null, accent: '#3b4fd8' },
  supportUrl: 'mailto:help@harbour-supplies.example',
}

let page: Page
beforeAll(async () => {
  page = await (await sharedChromium()).newPage()
})
afterAll(() => page?.close())

/**
 * What reads badly on two lines, and stands on two: “e-mail”, numbers with their word, and any word or part of an
 * address that one line has room for.
 */
const TORN = `(() => {
  const range = document.createRange()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const torn = []
  const whole = /\\be-mail|(?<![\\w-])\\d+\\.?\\s\\p{L}+|[^\\s@._+/-]+/giu
  for (let text = walker.nextNode(); text; text = walker.nextNode())
    for (const { 0: words, index } of text.data.matchAll(whole)) {
      range.setStart(text, index)
      range.setEnd(text, index + words.length)
      const boxes = [...range.getClientRects()]
      const width = boxes.reduce((sum, box) => sum + box.width, 0)
      const hasRoom = width <= text.parentElement.closest('h1, p, td, div').clientWidth
      if (hasRoom && new Set(boxes.map(({ top }) => top)).size > 1) torn.push(words)
    }
  return torn
})()`

describe.each(LANGUAGES)('mails in %s', language => {
  const words = MailLanguage.of(language)

  test.each(Object.keys(en.mails) as MailName[])(
    '%s can be read on every screen, in light and in dark',
    async name => {
      await page.setContent(htmlOf(sampleMail(words, name, SENDER), SENDER))
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme })
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 700 })
          await keepScreenshot(page, `mail-${language}-${name}-${colorScheme}-${width}`)
          expect(
            await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
          ).toBeLessThanOrEqual(0)
          expect(await page.evaluate(TORN)).toEqual([])
        }
        // Landmarks are for pages.
        expect(await seriousFindings(page)).toEqual([])
      }
    },
    PATIENCE_MS,
  )
})

test.each(WIDTHS)('the name beside a wide logo can be read at %i pixels', async width => {
  const words = MailLanguage.of('en')
  const name = "Rosa's shop for ropes and sails (ropes-and-sails.of-a-customer.example)"
  const logo = '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="64"/>'
  const branding = {
    ...{ name, accent: '#b91c1c', background: '#ffffff' },
    logoUrl: `data:image/svg+xml,${encodeURIComponent(logo)}`,
  }
  const mail = { ...sampleMail(words, 'invitation', SENDER), branding, site: name }
  await page.setContent(htmlOf(mail, SENDER))
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 700 })
    await keepScreenshot(page, `mail-wide-logo-${colorScheme}-${width}`)
    expect((await page.locator('.plate img').boundingBox())?.width).toBe(240)
    expect((await page.locator('td.name').boundingBox())?.height).toBeLessThanOrEqual(80)
  }
})
