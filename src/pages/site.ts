import { existsSync, readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '../config/package-root.js'
import { SettingsError } from '../config/read-settings.js'
import type { SiteName } from '../config/site-name.js'
import { SECURITY_HEADERS } from '../http/edge/edge.js'
import { type Places, pagePolicy, pageWith } from './page.js'

/** Where `npm run build:web` puts the sites. */
const BUILT_FOLDER = 'web/dist'

/** The paths of each site's pages; web/main/app.tsx and web/satellite/app.tsx know the same. */
export const PAGE_PATHS: Readonly<Record<SiteName, readonly string[]>> = {
  main: [
    ...['/', '/login', '/handoff', '/signup', '/subscribe', '/account', '/account/*'],
    ...['/forgot-password', '/verify-email', '/reset-password', '/accept-invitation'],
    ...['/confirm-email', '/undo-email', '/not-me', '/accept-transfer', '/stop-transfer'],
    ...['/factor-reset', '/stop-factor-reset'],
  ],
  satellite: ['/', '/handoff-callback', '/data', '/reports', '/security'],
}

/** The page of the main site goes on by itself only if it is told that the satellite has led there. */
const REFERRER_POLICY: Readonly<Record<SiteName, string>> = {
  main: 'no-referrer',
  satellite: 'strict-origin',
}

/**
 * A hand-off passes through these: no copy of theirs may come up again, and no window that opened one may
 * reach into it.
 */
const HANDOFF_HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/handoff': { 'Cache-Control': 'no-store', 'Cross-Origin-Opener-Policy': 'same-origin' },
  '/handoff-callback': { 'Cache-Control': 'no-store' },
}

/** One built site: a single page that finds out what to show, and the files that it loads. */
export class Site {
  readonly assetsFolder: string
  private readonly indexFile: string
  private readonly headers: Readonly<Record<string, string>>
  private readonly paths: ReadonlySet<string>
  /** What comes before the asterisk of a path. */
  private readonly prefixes: readonly string[]

  constructor(
    readonly name: SiteName,
    private readonly places: Places,
    private readonly builtFolder = BUILT_FOLDER,
  ) {
    const folder = join(PACKAGE_ROOT, builtFolder, name)
    this.assetsFolder = join(folder, 'assets')
    this.indexFile = join(folder, 'index.html')
    this.headers = {
      ...SECURITY_HEADERS,
      'referrer-policy': REFERRER_POLICY[name],
      'content-security-policy': pagePolicy(places, { hasLogos: name === 'main' }),
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    }
    this.paths = new Set(PAGE_PATHS[name])
    this.prefixes = PAGE_PATHS[name].filter(path => path.endsWith('*')).map(path => path.slice(0, -1))
  }

  /** Throws a SettingsError when the site is not built, or built without a place for what it must be told. */
  requireBuilt(): void {
    if (!existsSync(this.indexFile) || !existsSync(this.assetsFolder))
      throw new SettingsError([
        `PAGES has ${this.name}, but ${this.builtFolder}/${this.name} is not built: npm run build:web`,
      ])
    pageWith(readFileSync(this.indexFile, 'utf8'), this.places)
  }

  hasPage(path: string): boolean {
    return this.paths.has(path) || this.prefixes.some(prefix => path.startsWith(prefix))
  }

  /** Of a name without a slash. */
  async hasAsset(name: string): Promise<boolean> {
    const file = await stat(join(this.assetsFolder, name)).catch(() => null)
    return file?.isFile() ?? false
  }

  headersOf(path: string): Readonly<Record<string, string>> {
    return { ...this.headers, ...HANDOFF_HEADERS[path] }
  }

  /** Read each time, so that a new build shows without a restart. Null when it is gone. */
  async page(): Promise<string | null> {
    const built = await readFile(this.indexFile, 'utf8').catch(() => null)
    return built === null ? null : pageWith(built, this.places)
  }
}
