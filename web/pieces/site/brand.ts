import { accentsOf, backgroundOf } from '../../../src/platform/contrast.js'
import { site } from './site.js'

const { style } = document.documentElement

/**
 * Gives the page the colours of its brand, adjusted so that text is readable in them and on them;
 * web/styles/tokens.css uses them.
 */
export function showBrand(): void {
  const { accent, background } = site
  if (background) showBackground(background)
  const { light, dark } = accentsOf(accent, background ? backgroundOf(background).color : undefined)
  style.setProperty('--accent-light', light.color)
  style.setProperty('--accent-dark', dark.color)
}

/**
 * Sets the page's background (`#rrggbb`), with the matching colour scheme. Returns a function that restores
 * the previous one.
 */
export function showBackground(chosen: string): () => void {
  const { color, scheme } = backgroundOf(chosen)
  style.setProperty('--page', color)
  style.colorScheme = scheme
  return () => {
    style.removeProperty('--page')
    style.removeProperty('color-scheme')
  }
}
