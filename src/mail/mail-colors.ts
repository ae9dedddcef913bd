import { accentsOf, inkOn } from '../platform/contrast.js'
import type { Branding } from '../platform/database/columns/branding.js'

export interface MailColors {
  readonly page: string
  /** The text beside the card. */
  readonly onPage: string
  readonly button: string
  /** The button's text and its outline; without an outline the button could vanish in the card. */
  readonly ink: string
  /** The same for dark mode; null where a satellite's colours stay as they were chosen. */
  readonly dark: { readonly button: string; readonly ink: string } | null
}

const PAGE = '#f3f4f7'
const ON_PAGE = '#4d5463'
const COLOR = /^#[0-9a-f]{6}$/

/** The branding's colours, with a readable text colour; without branding, the main site's `accent`. */
export function colorsOf(branding: Branding | undefined, accent: string): MailColors {
  const { light, dark } = accentsOf(accent)
  const ours = {
    page: PAGE,
    onPage: ON_PAGE,
    button: light.color,
    ink: light.ink,
    dark: { button: dark.color, ink: dark.ink },
  }
  if (!branding) return ours
  const page = COLOR.test(branding.background) ? branding.background : PAGE
  const onPage = page === PAGE ? ON_PAGE : inkOn(page)
  if (!COLOR.test(branding.accent)) return { ...ours, page, onPage }
  return { page, onPage, button: branding.accent, ink: inkOn(branding.accent), dark: null }
}
