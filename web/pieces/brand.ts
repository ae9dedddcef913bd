import { accentsOf } from '../../src/brand/contrast.js'
import { site } from './site.js'

/** Gives the page the accent of its brand, as it can be read on light and on dark; web/styles/tokens.css takes it up. */
export function showBrand(): void {
  const { light, dark } = accentsOf(site.accent)
  const { style } = document.documentElement
  style.setProperty('--accent-light', light.color)
  style.setProperty('--accent-dark', dark.color)
}
