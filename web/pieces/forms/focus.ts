/**
 * Moves the focus when the element that had it is gone, such as the button of a form that was replaced by a
 * sentence: to the notice, or to the heading of the page. Otherwise keyboard users would start at the top
 * again.
 */
export function rescueFocus(): void {
  if (document.activeElement !== document.body) return
  const place = document.querySelector<HTMLElement>('.notice.good') ?? document.querySelector('h1')
  place?.focus()
}
