import { html } from '../mail/html.js'

/** What the built pages have to be told: the <meta> elements that web/pieces/site.ts reads. */
export interface Places {
  /** Where the API is; empty when it is where the page is. */
  readonly apiUrl: string
  readonly mainUrl: string
}

/** The built page with its places filled in. Throws an Error when it has no place for one of them. */
export function pageWith(built: string, { apiUrl, mainUrl }: Places): string {
  const contents = { api: apiUrl, main: mainUrl }
  return Object.entries(contents).reduce((page, [name, content]) => {
    const empty = `<meta name="mainstay-${name}" content=""`
    if (!page.includes(empty)) throw new Error(`The page has no ${empty}`)
    return page.replace(empty, () => html`<meta name="mainstay-${name}" content="${content}"`.text)
  }, built)
}

/**
 * Scripts and styles of the site itself, calls to the site and the API, nothing inline, nothing embedded. A
 * site that shows the logos of satellites loads those from wherever they are.
 */
export function pagePolicy({ apiUrl }: Places, { hasLogos = false } = {}): string {
  // Of an address with a path, a browser would allow that path alone.
  const api = apiUrl && new URL(apiUrl).origin
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self'${hasLogos ? ' https:' : ''}`,
    `connect-src 'self' ${api}`.trim(),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}
