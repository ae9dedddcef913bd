import { drawInLanguage } from './language.js'

/** Draws the pages of a site into an element; the returned function draws them again. */
export type DrawOn = (place: HTMLElement) => () => void

/**
 * Shows a site in the reader's language. The code that draws it is loaded meanwhile: it is the larger part,
 * and nothing can be drawn before both are there.
 */
export function startPage(load: () => Promise<{ readonly drawOn: DrawOn }>): void {
  const place = document.getElementById('app') as HTMLElement
  const drawing = load().then(({ drawOn }) => drawOn(place))
  drawInLanguage(drawing).catch(() => {
    // Without the messages, English is all there is.
    const main = document.createElement('main')
    main.className = 'small'
    main.textContent = 'This page could not be loaded. Please load it again.'
    place.replaceChildren(main)
  })
}
