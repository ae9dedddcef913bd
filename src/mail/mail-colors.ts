import type { Branding } from '../database/branding.js'

export interface MailColors {
  readonly page: string
  readonly button: string
  /** Text on the button, and its outline, without which it could vanish in the card. */
  readonly ink: string
}

const OURS: MailColors = { page: '#f3f4f7', button: '#3b4fd8', ink: '#ffffff' }
const COLOR = /^#[0-9a-f]{6}$/

/** Those of the branding, with a text that can be read on them; ours for what is no colour. */
export function colorsOf(branding: Branding | undefined): MailColors {
  if (!branding) return OURS
  const [page, button] = [branding.background, branding.accent].map(color => COLOR.test(color) && color)
  return {
    page: page || OURS.page,
    button: button || OURS.button,
    ink: inkOn(button || OURS.button),
  }
}

/** Black or white, whichever has more contrast: at least 4.5:1 on any colour (WCAG 2.2 §1.4.3). */
export function inkOn(color: string): '#000000' | '#ffffff' {
  const onWhite = 1.05 / (luminanceOf(color) + 0.05)
  const onBlack = (luminanceOf(color) + 0.05) / 0.05
  return onBlack > onWhite ? '#000000' : '#ffffff'
}

/** Relative luminance, from 0 to 1 (WCAG 2.2, definitions). */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
