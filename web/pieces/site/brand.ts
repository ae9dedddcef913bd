import { accentsOf, backgroundOf } from '../../../src/brand/contrast.js'
import { site } from './site.js'

const { style } = document.documentElement

/** Gives the page the colours of its brand, as text can be read in them and on them; web/styles/tokens.css takes them up. */
export function showBrand(): void {
  const { accent, background } = site
  if (background) showBackground(background)
  const { light, dark } = accentsOf(accent, background ? backgroundOf(background).color : undefined)
  style.setProperty('--accent-light', light.color)
  style.setProperty('--accent-dark', dark.color)
}

/** Lays the page on a colour (`#rrggbb`), in the scheme that goes with it. Call what comes back for how it was before. */
export function showBackground(chosen: string): () => void {
  const { color, scheme } = backgroundOf(chosen)
  style.setProperty('--page', color)
  style.colorScheme = scheme
  return () => {
    style.removeProperty('--page')
    style.removeProperty('color-scheme')
  }
}
