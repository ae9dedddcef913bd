import { html } from '../mail/html.js'
import type { Brand } from '../platform/brand.js'

/** Addresses that the built pages need to know. */
export interface PageAddresses {
  /** Where the API is; empty when it has the same origin as the page. */
  readonly apiUrl: string
  readonly mainUrl: string
  /** The BCP 47 tag of the language for browsers that ask for none of the available ones. */
  readonly language: string
}

/** Every page is built with it. */
const BUILT_LANGUAGE = '<html lang="en"'

const TITLE = /<title>[^<]*<\/title>/

/**
 * The built page with its addresses and the site's brand filled in: the <meta> elements that
 * web/pieces/site/site.ts reads. Throws an Error when it has no placeholder for one of them.
 */
export function pageWith(built: string, { apiUrl, mainUrl, language }: PageAddresses, brand: Brand): string {
  const { name, logoUrl, accent, background, supportUrl } = brand
  const looks = { name, logo: logoUrl, accent, background, support: supportUrl }
  const contents = { api: apiUrl, main: mainUrl, ...looks }
  const told = Object.entries(contents).reduce((page, [key, content]) => {
    const empty = `<meta name="mainstay-${key}" content=""`
    if (!page.includes(empty)) throw new Error(`The page has no ${empty}`)
    return page.replace(empty, () => html`<meta name="mainstay-${key}" content="${content ?? ''}"`.text)
  }, built)
  return told
    .replace(BUILT_LANGUAGE, () => html`<html lang="${language}"`.text)
    .replace(TITLE, () => html`<title>${name}</title>`.text)
}

/**
 * Allows the site's own scripts and styles, and calls to the site and the API; nothing inline, nothing
 * embedded. `pictures` are further sources of images: origins or schemes.
 */
export function pagePolicy({ apiUrl }: PageAddresses, pictures: readonly string[] = []): string {
  // For a URL with a path, a browser would allow only that path.
  const api = apiUrl && new URL(apiUrl).origin
  return [
    "default-src 'none'",
    "font-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${["'self'", ...pictures].join(' ')}`,
    `connect-src 'self' ${api}`.trim(),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}
