import type { Page } from 'playwright-core'

/** Of one language, by their keys. */
export type Messages = Readonly<Record<string, string>>

/** What people see or hear of a page: its texts, and what elements are called. The choice of language has its own words. */
const TEXTS = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const texts = [document.title]
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement.closest('script, noscript, option[lang]')) texts.push(node.data)
  for (const element of document.querySelectorAll('[aria-label], [placeholder], [title], [data-name]'))
    for (const name of ['aria-label', 'placeholder', 'title', 'data-name']) texts.push(element.getAttribute(name))
  return texts.filter(text => text?.trim()).map(text => text.trim())
})()`

/** English messages that stand on a page although another language says it in other words. */
export async function englishIn(page: Page, english: Messages, other: Messages): Promise<string[]> {
  const texts: string[] = await page.evaluate(TEXTS)
  if (texts.length < 5) throw new Error('There is nothing on this page')
  const translated = new Set(Object.values(other))
  const foreign = Object.entries(english)
    .filter(([key, text]) => other[key] !== text && !translated.has(text))
    .flatMap(([, text]) => fixedPartsOf(text))
  return foreign.filter(part =>
    texts.some(text => (part.includes(' ') ? text.includes(part) : text === part)),
  )
}

/** What stands between its values and tags, as far as that is long enough to be recognized. */
function fixedPartsOf(text: string): string[] {
  if (/\{\w+, /.test(text)) return []
  return text
    .split(/\{\w+\}|<\/?\w+>/)
    .map(part => part.trim())
    .filter(part => part === text || part.split(' ').length > 2)
}
