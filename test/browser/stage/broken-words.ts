import type { Page } from 'playwright-core'

/** Words of headings, labels and buttons that continue on the next line. Addresses may: they can be longer than it. */
export function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const range = document.createRange()
    const broken = []
    for (const element of document.querySelectorAll('h1, h2, label, legend, button')) {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      for (let text = walker.nextNode(); text; text = walker.nextNode())
        for (const { 0: word, index } of text.data.matchAll(/[^\\s@.]+(?![^\\s]*[@.]\\S)/g)) {
          range.setStart(text, index)
          range.setEnd(text, index + word.length)
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word)
        }
    }
    return broken
  })()`)
}
