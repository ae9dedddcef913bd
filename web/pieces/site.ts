/**
 * Where things are, from the <meta> elements of the page: whoever serves the built files writes them there, so one
 * build runs everywhere and no inline script is needed. An empty one means: where this page is.
 */
export const site = {
  apiUrl: told('mainstay-api') || location.origin,
  mainUrl: told('mainstay-main') || location.origin,
}

/** How people call a site: by its host. That of previews has an asterisk, which a URL has in its encoded form. */
export function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host.replace(/%2a/i, '*') : origin
}

function told(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
}
