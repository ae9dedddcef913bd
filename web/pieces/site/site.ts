/**
 * Where things are, from the <meta> elements of the page: whoever serves the built files writes them there, so one
 * build runs everywhere and no inline script is needed. An empty one means: where this page is.
 */
export const site = {
  apiUrl: told('mainstay-api') || location.origin,
  mainUrl: told('mainstay-main') || location.origin,
  /** What people call it; that of a satellite without a name is its host. */
  name: told('mainstay-name') || location.host,
  /** Empty for none. */
  logoUrl: told('mainstay-logo'),
  /** `#rrggbb`, not yet legible: see accentsOf in src/brand/contrast.ts. */
  accent: told('mainstay-accent') || '#3b4fd8',
  /** Of a satellite's page, `#rrggbb`; empty for ours. */
  background: told('mainstay-background'),
  /** For whoever reads none of the languages that there are: what the page is sent with. */
  language: document.documentElement.lang,
  /** Where people get help, `https:` or `mailto:`; empty where nobody says. */
  supportUrl: told('mainstay-support'),
}

/** How people call a site: by its host. That of previews has an asterisk, which a URL has in its encoded form. */
export function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host.replace(/%2a/i, '*') : origin
}

function told(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
}
