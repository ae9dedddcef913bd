/**
 * Moves the focus when the element that had it is gone, such as the button of a form that was replaced by a
 * sentence: to the notice, or to the heading of the page. Otherwise keyboard users would start at the top
 * again.
 */
export function rescueFocus(): void {
  if (document.activeElement !== document.body) return
  const news = document.querySelector<HTMLElement>('.notice.good')
  if (news) news.focus()
  // Whoever reads further down goes on reading there.
  else document.querySelector('h1')?.focus({ preventScroll: true })
}
