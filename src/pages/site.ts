import { existsSync, readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { html } from '../mail/html.js'
import { PACKAGE_ROOT } from '../platform/config/package-root.js'
import { SettingsError } from '../platform/config/read-settings.js'
import type { Brand } from '../platform/config/settings.js'
import type { SiteName } from '../platform/config/tables.js'
import { SECURITY_HEADERS } from '../platform/http/edge/responses.js'

/** What the built pages need to know of their surroundings. */
interface PageAddresses {
  /** Where the API is; empty when it has the same origin as the page. */
  readonly apiUrl: string
  readonly mainUrl: string
  /** What people call the main site. */
  readonly mainName: string
  /** The BCP 47 tag of the language for browsers that ask for none of the available ones. */
  readonly language: string
  /** Whether anything is sold. */
  readonly takesPayments: boolean
}

/** Where `npm run build:web` puts the sites. */
const BUILT_FOLDER = 'web/dist'

/**
 * The paths of each site's pages; keep in step with web/main/app.tsx, web/satellite/app.tsx and
 * web/operator/app.tsx.
 */
export const PAGE_PATHS: Readonly<Record<SiteName, readonly string[]>> = {
  main: [
    ...['/', '/login', '/handoff', '/signup', '/subscribe', '/account', '/account/*'],
    ...['/forgot-password', '/verify-email', '/reset-password', '/accept-invitation'],
    ...['/confirm-email', '/undo-email', '/not-me', '/accept-transfer', '/stop-transfer'],
    ...['/factor-reset', '/stop-factor-reset'],
  ],
  satellite: ['/', '/handoff-callback', '/data', '/reports', '/security'],
  operator: [
    '/',
    '/accounts/*',
    '/users/*',
    '/satellites',
    '/payments',
    '/mails',
    '/activity',
    '/health',
    '/passkeys',
  ],
}

/** The main site's page continues automatically only if the referrer says that the satellite led there. */
const REFERRER_POLICY: Readonly<Record<SiteName, string>> = {
  main: 'no-referrer',
  satellite: 'strict-origin',
  operator: 'no-referrer',
}

/** A hand-off passes through these: a cached copy must never be shown again. */
const NOT_KEPT = ['/handoff', '/handoff-callback']
/** Pages with people's data, which "back" must not show after a logout. */
const SITES_NOT_KEPT: readonly SiteName[] = ['operator']

/** A page as sent. */
interface RenderedPage {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

/** One built site: a single page that decides what to show, and the files that it loads. */
export class Site {
  readonly assetsFolder: string
  private readonly indexFile: string
  private readonly headers: Readonly<Record<string, string>>
  private readonly paths: ReadonlySet<string>
  /** The part of a path before its asterisk. */
  private readonly prefixes: readonly string[]

  /** Where people change the password that this site takes; null for operators, who have none. */
  readonly changePasswordUrl: string | null

  /** `brandAt` returns the site's brand at a host; it must not throw. */
  constructor(
    readonly name: SiteName,
    private readonly addresses: PageAddresses,
    private readonly brandAt: (host: string) => Brand | Promise<Brand>,
    private readonly builtFolder = BUILT_FOLDER,
  ) {
    const folder = join(PACKAGE_ROOT, builtFolder, name)
    this.assetsFolder = join(folder, 'assets')
    this.indexFile = join(folder, 'index.html')
    const page = '/account/security'
    this.changePasswordUrl = { main: page, satellite: `${addresses.mainUrl}${page}`, operator: null }[name]
    this.headers = {
      ...SECURITY_HEADERS,
      'referrer-policy': REFERRER_POLICY[name],
      // No window that has opened a page may access it.
      'cross-origin-opener-policy': 'same-origin',
      'content-type': 'text/html; charset=utf-8',
    }
    this.paths = new Set(PAGE_PATHS[name])
    this.prefixes = PAGE_PATHS[name].filter(path => path.endsWith('*')).map(path => path.slice(0, -1))
  }

  /** Throws a SettingsError when the site is not built, and an Error when a placeholder is missing from it. */
  requireBuilt(): void {
    if (!existsSync(this.indexFile) || !existsSync(this.assetsFolder))
      throw new SettingsError([
        `${this.name === 'operator' ? 'OPERATOR_ORIGIN is set' : `PAGES has ${this.name}`}, but ${this.builtFolder}/${this.name} is not built: npm run build:web`,
      ])
    pageWith(readFileSync(this.indexFile, 'utf8'), this.addresses, ANY_BRAND)
  }

  hasPage(path: string): boolean {
    return this.paths.has(path) || this.prefixes.some(prefix => path.startsWith(prefix))
  }

  /** `name` must not contain a slash. */
  async hasAsset(name: string): Promise<boolean> {
    const file = await stat(join(this.assetsFolder, name)).catch(() => null)
    return file?.isFile() ?? false
  }

  /**
   * The page for a host and path. Read each time, so that a new build shows without a restart. Null when it
   * is gone.
   */
  async page(host: string, path: string): Promise<RenderedPage | null> {
    const built = await readFile(this.indexFile, 'utf8').catch(() => null)
    if (built === null) return null
    const brand = await this.brandAt(host)
    const headers = {
      ...this.headers,
      'content-security-policy': pagePolicy(this.addresses, this.picturesOf(brand)),
      'cache-control': this.isUnused(path) ? 'no-cache' : 'no-store',
    }
    return { html: pageWith(built, this.addresses, brand), headers }
  }

  /** By the browser, which asks before it shows the page again. */
  private isUnused(path: string): boolean {
    return !NOT_KEPT.includes(path) && !SITES_NOT_KEPT.includes(this.name)
  }

  /** The main site shows the logos of satellites, which may be anywhere. */
  private picturesOf({ logoUrl }: Brand): string[] {
    if (this.name === 'main') return ['https:']
    const parsed = logoUrl === null ? null : URL.parse(logoUrl)
    return parsed ? [parsed.origin] : []
  }
}

/** Used to check whether a page has a placeholder for the brand. */
const ANY_BRAND: Brand = { name: '', logoUrl: null, accent: '', supportUrl: null }

/** Every page is built with it. */
const BUILT_LANGUAGE = '<html lang="en"'

const TITLE = /<title>[^<]*<\/title>/

/**
 * The built page with its addresses and the site's brand filled in: the <meta> elements that
 * web/pieces/site.ts reads. Throws an Error when it has no placeholder for one of them.
 */
export function pageWith(built: string, addresses: PageAddresses, brand: Brand): string {
  const { apiUrl, mainUrl, mainName, language, takesPayments } = addresses
  const { name, logoUrl, accent, background, supportUrl } = brand
  const looks = { name, logo: logoUrl, accent, background, support: supportUrl }
  const payments = takesPayments ? '' : 'off'
  const contents = { api: apiUrl, main: mainUrl, 'main-name': mainName, payments, ...looks }
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
