/**
 * Gives the focus a place when what had it is gone, such as the button of a form that has become a sentence: the news,
 * or the heading of the page. Without one, people who use the keyboard begin at the top again.
 */
export function rescueFocus(): void {
  if (document.activeElement !== document.body) return
  const place = document.querySelector<HTMLElement>('.notice.good') ?? document.querySelector('h1')
  place?.focus()
}
