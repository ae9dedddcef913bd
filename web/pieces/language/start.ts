import { drawInLanguage } from './language.js'

/** What draws the pages of a site into an element, and again whenever that is called. */
export type DrawOn = (place: HTMLElement) => () => void

/**
 * Shows a site in the language of whoever reads it. What draws it is loaded meanwhile: it is the larger part, and nothing
 * can be drawn before both are there.
 */
export function startPage(load: () => Promise<{ readonly drawOn: DrawOn }>): void {
  const place = document.getElementById('app') as HTMLElement
  const drawing = load().then(({ drawOn }) => drawOn(place))
  drawInLanguage(drawing).catch(() => {
    // Without the messages there is no other language to say it in.
    const main = document.createElement('main')
    main.className = 'small'
    main.textContent = 'This page could not be loaded. Please load it again.'
    place.replaceChildren(main)
  })
}
