import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { request } from '../support/http-request.js'
import { freePort } from '../support/processes/free-port.js'
import { Laptop } from '../support/processes/laptop.js'
import { findings } from './stage/accessibility.js'
import { sharedChromium } from './stage/chromium.js'
import { keepScreenshot } from './stage/screenshot.js'

const run = promisify(execFile)
const ROOT = join(__dirname, '../..')
const BUILT = join(ROOT, 'docs/.vitepress/dist')
const PATIENCE_MS = 60_000
/** Every kind of page; the start page comes last, because axe is quick on it. */
const AXE_PAGES = ['nothing', 'start', 'satellites', 'commands', 'deploy/helm', '']
const AXE_PATIENCE_MS = 300_000

/** Every page of the site, by its path below /docs/. */
async function builtPages(): Promise<string[]> {
  const files = await readdir(BUILT, { recursive: true })
  return files
    .filter(file => file.endsWith('.html') && file !== '404.html')
    .map(file => file.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, ''))
}

/** The shell code of a page of docs/, each block by itself. */
async function shellBlocks(page: string): Promise<string[]> {
  const text = await readFile(join(ROOT, 'docs', page), 'utf8')
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, code = '']) => code)
}

let laptop: Laptop
let satellite: string
let browser: Browser
beforeAll(async () => {
  satellite = `http://127.0.0.1:${await freePort()}`
  laptop = await Laptop.start(undefined, [], { ALLOWED_ORIGINS: satellite })
  browser = await sharedChromium()
}, PATIENCE_MS)
afterAll(() => laptop?.stop())

describe('the documentation at /docs/', () => {
  it('has no link that leads nowhere, on any page', async () => {
    const pages = await builtPages()
    expect(pages.length).toBeGreaterThan(30)
    const texts = new Map<string, string>()
    for (const page of pages) {
      const { status, text } = await request(laptop.url, { path: `/docs/${page}` })
      expect([page, status]).toEqual([page, 200])
      texts.set(`/docs/${page}`, text)
    }
    const broken: string[] = []
    for (const [page, text] of texts)
      for (const [, href = ''] of text.matchAll(/<a\b[^>]*\bhref="(\/docs\/[^"]*|#[^"]*)"/g)) {
        const [path, anchor] = href.split('#')
        const target = path ? texts.get(path) : text
        const isThere =
          target !== undefined && (!anchor || target.includes(`id="${decodeURIComponent(anchor)}"`))
        if (!isThere) broken.push(`${page} → ${href}`)
      }
    expect(broken).toEqual([])
  })

  it('leads /docs there, and shows a page for an unknown address', async () => {
    const { status, headers } = await request(laptop.url, { path: '/docs' })
    expect([status, headers.location]).toEqual([308, '/docs/'])
    const folder = await request(laptop.url, { path: '/docs/examples' })
    expect([folder.status, folder.headers.location]).toEqual([308, '/docs/examples/'])
    for (const path of [
      '/docs/nothing',
      '/docs/..%2fpackage.json',
      '/docs/start.html',
      '/docs/%2e%2e/package.json',
    ])
      expect([path, (await request(laptop.url, { path })).status]).toEqual([path, 404])
  })

  it('is a page without faults: its policy, its search, both themes, three widths', async () => {
    const page = await browser.newPage()
    const faults = faultsOf(page)
    for (const [name, path] of Object.entries({
      home: '',
      start: 'start',
      integrate: 'integrate',
      backends: 'integrate/backends',
      operations: 'operations',
      settings: 'settings',
      commands: 'commands',
      endpoints: 'endpoints',
      concepts: 'concepts',
      curl: 'curl',
    })) {
      await page.goto(`${laptop.url}/docs/${path}`, { waitUntil: 'networkidle' })
      for (const [width, colorScheme] of [
        [1280, 'light'],
        [768, 'dark'],
        [320, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme })
        await keepScreenshot(page, `docs-${name}-${width}-${colorScheme}`)
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
          0,
        )
      }
    }
    expect(faults).toEqual([])
    await page.close()
  })

  it(
    'has nothing that axe complains about, in both themes and in the search (A3)',
    async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
      const found: string[] = []
      const look = async (where: string) =>
        found.push(...(await findings(page)).map(finding => `${where}: ${finding}`))
      for (const path of AXE_PAGES) {
        await page.goto(`${laptop.url}/docs/${path}`, { waitUntil: 'networkidle' })
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await look(`${path} ${colorScheme}`)
        }
      }
      await page.getByRole('button', { name: 'Search' }).first().click()
      await page.getByRole('combobox').waitFor()
      await look('search')
      await page.getByRole('combobox').fill('hand-off')
      await page.getByRole('option').first().waitFor()
      // What is found is read beside its title.
      await page.getByRole('option').getByText('sends the browser back with a code').first().waitFor()
      await look('search with results')
      await keepScreenshot(page, 'docs-search-1280-dark')
      expect(found).toEqual([])
      await page.close()
    },
    AXE_PATIENCE_MS,
  )

  it('finds what it says', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const faults = faultsOf(page)
    await page.goto(`${laptop.url}/docs/start`, { waitUntil: 'networkidle' })
    await page.getByRole('button', { name: 'Search' }).first().click()
    await page.getByRole('combobox').fill('stolen code')
    await page.getByRole('option').filter({ hasText: 'What a hand-off does' }).first().click()
    await page.waitForURL('**/docs/satellites#what-a-hand-off-does')
    expect(faults).toEqual([])
    await page.close()
  })

  it('describes a start whose commands work', async () => {
    const blocks = await shellBlocks('start.md')
    expect(blocks[0]).toBe('npm start\n')
    expect(await answersOf(blocks.filter(code => code.includes('curl')))).toEqual([
      expect.objectContaining({ permissions: expect.objectContaining({ payments: true }) }),
      expect.objectContaining({ accessToken: expect.any(String) }),
    ])
  })

  it('describes the API with commands that work', async () => {
    expect(await answersOf(await shellBlocks('curl.md'))).toEqual([
      expect.objectContaining({ permissions: expect.objectContaining({ payments: true }) }),
      expect.objectContaining({ accessToken: expect.any(String) }),
      expect.objectContaining({ checkoutUrl: expect.stringContaining('/pay/') }),
      expect.objectContaining({ state: 'none' }),
      expect.objectContaining({ accessToken: expect.any(String) }),
      expect.objectContaining({ sessionId: expect.any(String) }),
      expect.objectContaining({ reauthenticatedUntil: expect.any(String) }),
      expect.objectContaining({ email: 'new@example.com' }),
      expect.objectContaining({ sites: expect.any(Array) }),
    ])
  })
})

/** What these commands answer, run in one shell in which the laptop's addresses stand for those of `npm start`. */
async function answersOf(blocks: readonly string[]): Promise<unknown[]> {
  const script = blocks
    .join('\n')
    .replaceAll('localhost:3000', new URL(laptop.url).host)
    .replaceAll('http://127.0.0.1:3001', satellite)
  const { stdout } = await run('bash', ['-euc', `cd "$(mktemp -d)"\n${script}`])
  return stdout
    .trim()
    .split(/(?<=})\s*(?=\{)/)
    .map(text => JSON.parse(text))
}

/** What the browser complains about: a policy that refuses something, a script that fails. */
function faultsOf(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', error => faults.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error') faults.push(message.text())
  })
  return faults
}
