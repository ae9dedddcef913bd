import { accentsOf, backgroundOf } from '../../src/platform/contrast.js'

/**
 * Addresses and brand, from the <meta> elements of the page: the server of the built files fills them in, so
 * one build runs everywhere and no inline script is needed. An empty address means the page's own.
 */
export const site = {
  apiUrl: told('mainstay-api') || location.origin,
  mainUrl: told('mainstay-main') || location.origin,
  /** Whether anything is sold. */
  takesPayments: told('mainstay-payments') !== 'off',
  /** The readable name; for a satellite without a name, its host. */
  name: told('mainstay-name') || location.host,
  /** Empty if there is none. */
  logoUrl: told('mainstay-logo'),
  /** `#rrggbb`, not yet legible: see accentsOf in src/platform/contrast.ts. */
  accent: told('mainstay-accent') || '#3b4fd8',
  /** For a satellite's page, `#rrggbb`; empty for ours. */
  background: told('mainstay-background'),
  /** The language that the page was sent with, for people who read none of the available ones. */
  language: document.documentElement.lang,
  /** Where people get help, `https:` or `mailto:`; empty if not configured. */
  supportUrl: told('mainstay-support'),
}

/** What people call the main site, for pages of satellites; its host where the server of the page does not say. */
export function mainName(): string {
  return told('mainstay-main-name') || hostOf(site.mainUrl)
}

/** The readable name of a site: its host. For previews it contains an asterisk, which a URL encodes. */
export function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host.replace(/%2a/i, '*') : origin
}

function told(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
}

const { style } = document.documentElement

/**
 * Gives the page its theme and the colours of its brand, adjusted so that text is readable in them and on them;
 * web/styles/tokens.css uses them.
 */
export function showBrand(): void {
  const { accent, background } = site
  if (background) showBackground(background)
  showTheme(chosenTheme())
  // Another tab has chosen.
  addEventListener('storage', ({ key }) => key === THEME_KEY && showTheme(chosenTheme()))
  const { light, dark } = accentsOf(accent, background ? backgroundOf(background).color : undefined)
  style.setProperty('--accent-light', light.color)
  style.setProperty('--accent-dark', dark.color)
}

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]
const THEME_KEY = 'mainstay.theme'

/** What the user of this browser has chosen; `system` follows the device. A satellite's background decides instead. */
export function chosenTheme(): Theme {
  try {
    return THEMES.find(theme => theme === localStorage.getItem(THEME_KEY)) ?? 'system'
  } catch {
    return 'system'
  }
}

/** Shows the page in this theme, for now and for the future in this browser, where it can be stored. */
export function setTheme(theme: Theme): void {
  showTheme(theme)
  try {
    localStorage.setItem(THEME_KEY, theme)
  } catch {
    // A browser without storage forgets it when the page is closed.
  }
}

function showTheme(theme: Theme): void {
  // The background decides.
  if (style.getPropertyValue('--page')) return
  if (theme === 'system') style.removeProperty('color-scheme')
  else style.colorScheme = theme
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
    showTheme(chosenTheme())
  }
}
