import type { Brand } from '../brand/brand.js'
import { html } from '../mail/html.js'

/** Where things are, for the built pages. */
export interface Places {
  /** Where the API is; empty when it is where the page is. */
  readonly apiUrl: string
  readonly mainUrl: string
  /** For a browser that asks for no language that there is, as a BCP 47 tag. */
  readonly language: string
}

/** Every page is built with it. */
const BUILT_LANGUAGE = '<html lang="en"'

const TITLE = /<title>[^<]*<\/title>/

/**
 * The built page, told its places and how the site looks: the <meta> elements that web/pieces/site/site.ts reads. Throws
 * an Error when it has no place for one of them.
 */
export function pageWith(built: string, { apiUrl, mainUrl, language }: Places, brand: Brand): string {
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
 * Scripts and styles of the site itself, calls to the site and the API, nothing inline, nothing embedded.
 * `pictures` are from where else it shows some: addresses or schemes.
 */
export function pagePolicy({ apiUrl }: Places, pictures: readonly string[] = []): string {
  // Of an address with a path, a browser would allow that path alone.
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
