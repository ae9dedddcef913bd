// For the server and the pages (web/): no imports.

/** The least contrast of text (WCAG 2.2 §1.4.3). */
const LEGIBLE = 4.5
/** The darkest surface behind coloured text in light mode, and the lightest in dark mode. */
const SURFACES = { light: '#f0f1f4', dark: '#262a36' } as const
/** The least legible text of a page: `--soft` in web/styles/tokens.css. */
const SOFT = { light: '#5b6271', dark: '#a0a7b5' } as const
/** Text on a button that is filled with the accent. */
const INK = { light: '#ffffff', dark: '#12141b' } as const

interface Accent {
  /** Of links, and of filled buttons. */
  readonly color: string
  /** Text on such a button. */
  readonly ink: string
}

/** A page that has a colour of its own. */
interface Background {
  readonly color: string
  /** The scheme whose text colours are used on it, whatever its reader prefers. */
  readonly scheme: 'light' | 'dark'
}

/**
 * The accent (`#rrggbb`) for both schemes, darkened or lightened just enough to be legible there, and also on the
 * colour that `backgroundOf` has given a page.
 */
export function accentsOf(accent: string, background?: string): Readonly<Record<'light' | 'dark', Accent>> {
  const on = (surface: string) => (background ? [surface, background] : [surface])
  return {
    light: { color: legibleOn(on(SURFACES.light), accent, '#000000'), ink: INK.light },
    dark: { color: legibleOn(on(SURFACES.dark), accent, '#ffffff'), ink: INK.dark },
  }
}

/** A page in this colour (`#rrggbb`), lightened or darkened just enough that all of its text is legible. */
export function backgroundOf(color: string): Background {
  const isLight = inkOn(color) === '#000000'
  return isLight
    ? { color: legibleOn([SOFT.light], color, '#ffffff'), scheme: 'light' }
    : { color: legibleOn([SOFT.dark], color, '#000000'), scheme: 'dark' }
}

/** Black or white, whichever has more contrast: at least 4.5:1 on any colour (`#rrggbb`). */
export function inkOn(color: string): '#000000' | '#ffffff' {
  return contrast(color, '#000000') > contrast(color, '#ffffff') ? '#000000' : '#ffffff'
}

function legibleOn(others: readonly string[], color: string, towards: string): string {
  const steps = Array.from({ length: 21 }, (_, step) => mixed(color, towards, step / 20))
  return steps.find(each => others.every(other => contrast(each, other) >= LEGIBLE)) ?? towards
}

/** From 1 to 21 (WCAG 2.2, definitions). */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Relative luminance, from 0 to 1 (WCAG 2.2, definitions). */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map(channel => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mixed(color: string, other: string, share: number): string {
  const others = channelsOf(other)
  const channels = channelsOf(color).map((each, at) => each + ((others[at] as number) - each) * share)
  return `#${channels.map(channel => Math.round(channel).toString(16).padStart(2, '0')).join('')}`
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map(at => Number.parseInt(color.slice(at, at + 2), 16))
}
