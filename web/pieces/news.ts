/** What is said on the page that comes next, such as after a removal that leads back to the list. */
let news: string | null = null

export function leaveNews(text: string): void {
  news = text
}

/** The news that was left, once. */
export function takeNews(): string | null {
  const text = news
  news = null
  return text
}
