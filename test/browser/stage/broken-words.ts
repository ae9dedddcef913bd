import type { Page } from 'playwright-core'

/**
 * Words of headings, labels and buttons that continue on the next line. Addresses may, at their dots and `@`: they can
 * be longer than it.
 */
export function brokenWords(page: Page): Promise<string[]> {
  const texts =
    '[...document.querySelectorAll("h1, h2, label, legend, button")].flatMap(textsIn).filter(isNoAddress)'
  return page.evaluate(
    `(() => { ${FUNCTIONS}; return brokenIn(${texts}, /[^\\s@.]+(?![^\\s]*[@.]\\S)/g) })()`,
  )
}

/** Parts of this address, between its dots and `@`, that continue on the next line. Throws if it is nowhere. */
export async function brokenParts(page: Page, address: string): Promise<string[]> {
  const parts = JSON.stringify(address.split(/[@.]/))
  const found = await page.evaluate(`(() => {
    ${FUNCTIONS}
    const texts = textsIn(document.querySelector('main'))
    const wholeOf = ({ parentElement }) => parentElement.closest('.address') ?? parentElement
    const isShown = texts.some(text => wholeOf(text).textContent.includes(${JSON.stringify(address)}))
    return isShown && brokenIn(texts, new RegExp(${parts}.join('|'), 'g'))
  })()`)
  if (!found) throw new Error(`${address} is not on the page`)
  return found as string[]
}

const FUNCTIONS = `
  const range = document.createRange()
  const textsIn = element => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    const texts = []
    while (walker.nextNode()) texts.push(walker.currentNode)
    return texts
  }
  const isNoAddress = text => !text.parentElement.closest('.address')
  const isBroken = (text, { 0: word, index }) => {
    range.setStart(text, index)
    range.setEnd(text, index + word.length)
    return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1
  }
  const brokenIn = (texts, words) => texts.flatMap(text =>
    [...text.data.matchAll(words)].filter(word => isBroken(text, word)).map(([word]) => word))`
