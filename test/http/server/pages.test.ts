import { readdirSync, readFileSync } from 'node:fs'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import type { FastifyRequest } from 'fastify'
import fastify, { type FastifyInstance } from 'fastify'
import {
  type Brand,
  ConsoleAddress,
  Database,
  handlersOf,
  PAGE_PATHS,
  redirectToOrigin,
  Satellites,
  type Settings,
  Site,
  SiteHosts,
  serveSites,
} from '../../sources.js'
import { sendRaw } from '../../support/http-request.js'
import { anOwner } from '../../support/people.js'
import { aSatellite, setSatelliteState } from '../../support/satellites.js'
import { MAIN, SHOP_ONE, TestApp } from '../../support/test-app.js'

const ORIGIN = 'https://site.test'
const BRAND: Brand = { name: 'Rose & Sons', logoUrl: null, accent: '#b91c1c', supportUrl: null }
const PLACES = {
  apiUrl: 'https://api.main.test',
  mainUrl: 'https://www.main.test',
  mainName: 'Rose & Sons',
  language: 'de',
  takesPayments: true,
}
const ACCEPT = 'text/html,application/xhtml+xml,*/*;q=0.8'
const NAMES = ['main', 'satellite'] as const
/** With Preact; with React it was 136 kB. */
const MAX_BUNDLE_BYTES = 82_000

describe.each(NAMES)('the built pages of the %s site', name => {
  let server: FastifyInstance
  beforeAll(async () => {
    server = fastify()
    const site = new Site(name, PLACES, () => BRAND)
    redirectToOrigin(server, ORIGIN)
    await serveSites(server, host => (host === new URL(ORIGIN).host ? site : null))
  })
  afterAll(() => server.close())

  function get(url: string, headers: Record<string, string> = {}) {
    return server.inject({ url, headers: { host: new URL(ORIGIN).host, ...headers } })
  }

  it('pages 5: sends the browser to the right address when it uses another name of a laptop', async () => {
    const answer = await get('/?a=b', { host: '127.0.0.1:3000', accept: ACCEPT })
    expect([answer.statusCode, answer.headers.location]).toEqual([303, `${ORIGIN}/?a=b`])
  })

  it('leads password managers to the page that changes the password (integration 18)', async () => {
    const { statusCode, headers } = await get('/.well-known/change-password')
    const place = '/account/security'
    expect([statusCode, headers.location]).toEqual([303, name === 'main' ? place : PLACES.mainUrl + place])
    // By this, they find out whether the site means it.
    const unknown = await get(
      '/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200',
    )
    expect(unknown.statusCode).toBe(404)
  })

  it('pages 10: an unknown address shows people a page, and programs none', async () => {
    const accept = ACCEPT
    const page = await get('/nothing', { accept })
    expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(page.body).toContain('<div id="app">')
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    for (const [path, headers] of [
      ['/nothing', {}],
      ['/api/nothing', { accept }],
      ['/assets/nothing.js', { accept }],
    ] as const) {
      const answer = await get(path, headers)
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([
        404,
        'application/json; charset=utf-8',
      ])
    }
  })

  it('is sent in the language of the installation when the browser asks for none that exists', async () => {
    expect((await get('/')).body).toContain('<html lang="de">')
  })

  it('files are sent as the build has compressed them, to whoever takes that', async () => {
    const page = await get('/')
    const script = /src="([^"]+)"/.exec(page.body)?.[1] as string
    const [plain, br] = await Promise.all(
      ['gzip', 'gzip, br'].map(accepted => get(script, { 'accept-encoding': accepted })),
    )
    expect([plain, br].map(answer => answer?.headers['content-encoding'])).toEqual([undefined, 'br'])
    for (const answer of [plain, br])
      expect(answer?.headers).toMatchObject({
        'content-type': expect.stringMatching(/^(text|application)\/javascript; charset=utf-8$/),
        'cache-control': 'public, max-age=31536000, immutable',
        vary: expect.stringMatching(/accept-encoding/i),
      })
    expect(brotliDecompressSync(br?.rawPayload as Buffer)).toEqual(plain?.rawPayload)
    expect(page.headers).not.toHaveProperty('content-encoding')
  })

  it('every path is answered with the page, which no cache keeps unasked and nothing may frame', async () => {
    for (const path of PAGE_PATHS[name]) {
      const answer = await get(path)
      expect(answer.statusCode).toBe(200)
      expect(answer.body).toContain('<meta name="mainstay-api" content="https://api.main.test"')
      expect(answer.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': path.startsWith('/handoff') ? 'no-store' : 'no-cache',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        'x-content-type-options': 'nosniff',
      })
    }
  })

  it('a slash at the end of a page’s address leads to the page, with its query', async () => {
    const paths = PAGE_PATHS[name].filter(path => path !== '/').map(path => path.replace('*', 'a/b'))
    for (const path of paths) {
      const { statusCode, headers } = await get(`${path}/?a=b/`)
      expect([statusCode, headers.location]).toEqual([308, `${path}?a=b/`])
      expect(headers['cache-control']).toBe('no-store')
    }
  })

  it('no window that has opened a page can reach it', async () => {
    for (const path of [...PAGE_PATHS[name], '/nothing']) {
      const { headers } = await get(path, { accept: ACCEPT })
      expect([path, headers['cross-origin-opener-policy']]).toEqual([path, 'same-origin'])
    }
  })

  it('learns how the site looks', async () => {
    const { body } = await get('/')
    expect(body).toContain('<meta name="mainstay-name" content="Rose &#38; Sons"')
    expect(body).toContain('<meta name="mainstay-accent" content="#b91c1c"')
    expect(body).toContain('<title>Rose &#38; Sons</title>')
  })

  it('has no inline script or style, and what it loads is there and may be kept', async () => {
    const { body } = await get('/')
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/)
    const files = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file as string)
    expect(files.length).toBeGreaterThanOrEqual(3)
    for (const file of files) {
      const answer = await get(file)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    }
  })

  it('fetches the scripts that draw it together with those that import them', async () => {
    const { body } = await get('/')
    expect(body).toMatch(/<link rel="modulepreload" href="\/assets\/app-[\w-]+\.js">/)
  })

  it('loads its typeface from the site itself, and only the parts that it needs', async () => {
    const page = await get('/')
    expect(page.headers['content-security-policy']).toContain("font-src 'self'")
    const sheet = /href="([^"]+\.css)"/.exec(page.body)?.[1] as string
    const fonts = [...(await get(sheet)).body.matchAll(/url\("?(\/assets\/[^)"]+\.woff2)"?\)/g)].map(
      ([, url]) => url as string,
    )
    expect(fonts).toHaveLength(2)
    for (const font of fonts) {
      const { statusCode, headers } = await get(font)
      expect([statusCode, headers['content-type']]).toEqual([200, 'font/woff2'])
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    }
  })

  it('serves nothing else', async () => {
    for (const path of ['/nothing', '/assets/', '/assets/../index.html', '/assets/%2e%2e/index.html'])
      expect([path, (await get(path)).statusCode]).toEqual([path, 404])
  })

  it('answers 304 to a client that has the page, and HEAD with everything but the page', async () => {
    const { headers } = await get('/')
    const tag = headers.etag as string
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const again = await get('/', { 'if-none-match': known })
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', tag])
    }
    expect((await get('/', { 'if-none-match': '"other"' })).statusCode).toBe(200)
    const head = await server.inject({ method: 'HEAD', url: '/', headers: { host: new URL(ORIGIN).host } })
    expect([head.statusCode, head.headers.etag]).toEqual([200, tag])
  })
})

it('a start without the built files says which command makes them', () => {
  const site = new Site('main', PLACES, () => BRAND, 'web/nowhere')
  expect(() => site.requireBuilt()).toThrow(
    'PAGES has main, but web/nowhere/main is not built: npm run build:web',
  )
})

describe('the service with PAGES=main,satellite', () => {
  let app: TestApp
  beforeAll(async () => {
    const proxy = { TRUST_PROXY: '127.0.0.1' }
    app = await TestApp.start({ PAGES: 'main,satellite', ...proxy })
  })
  afterAll(() => app.stop())

  function visit(host: string, path = '/', headers: Record<string, string> = {}) {
    return app.request({ path, headers: { Host: host, Accept: ACCEPT, ...headers } })
  }

  /** Which site's page this host has, or the code of the refusal. */
  async function siteAt(host: string, path = '/', headers: Record<string, string> = {}): Promise<string> {
    const { text, json } = await visit(host, path, headers)
    if (json) return json.code
    return text.includes('content="strict-origin"') ? 'satellite' : 'main'
  }

  it('the main site is at MAIN_ORIGIN, satellites where they are, and both are told where the API is', async () => {
    for (const [host, site] of [
      ['www.main.test', 'main'],
      ['shop-one.test', 'satellite'],
      ['shop-two.test', 'satellite'],
    ] as const) {
      expect([host, await siteAt(host)]).toEqual([host, site])
      const { text, headers } = await visit(host)
      expect(text).toContain('<meta name="mainstay-api" content="https://api.main.test"')
      expect(text).toContain('<meta name="mainstay-main" content="https://www.main.test"')
      expect(headers['content-security-policy']).toContain("connect-src 'self' https://api.main.test")
      const script = /\/assets\/[\w.-]+\.js/.exec(text)?.[0] as string
      const loaded = await visit(host, script)
      expect([loaded.status, loaded.headers['cache-control']]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ])
      expect(loaded.headers['content-type']).toContain('application/javascript')
      expect(loaded.headers['x-content-type-options']).toBe('nosniff')
    }
  })

  it('any other host gets the answer of the API, however it is spelled', async () => {
    const near = ['www.main.test.', 'www.main.test:443', 'WWW.MAIN.TEST', 'main.test', 'evil.www.main.test']
    const odd = ['*.main.test', 'shop-one.test@www.main.test', 'x/www.main.test', 'https://www.main.test', '']
    for (const host of ['api.main.test', 'evil.test', '127.0.0.1', 'shop-one.test:443', ...near, ...odd]) {
      const { status, json } = await visit(host)
      expect([host, status, json?.code]).toEqual([host, 404, 'NOT_FOUND'])
    }
  })

  it('ignores what a client says about the host outside the Host header', async () => {
    const claims = { 'X-Forwarded-Host': 'www.main.test', Forwarded: 'host=www.main.test' }
    expect(await siteAt('evil.test', '/', claims)).toBe('NOT_FOUND')
    expect(await siteAt('shop-one.test', '/', claims)).toBe('satellite')
    expect(await siteAt('evil.test', 'http://www.main.test/')).toBe('NOT_FOUND')
    const port = Number(new URL(app.url).port)
    const preflight = 'Origin: https://www.main.test\r\nAccess-Control-Request-Method: GET\r\n'
    for (const [method, more] of [
      ['GET', ''],
      ['OPTIONS', preflight],
    ]) {
      const twice = `${method} / HTTP/1.1\r\nHost: evil.test\r\nHost: www.main.test\r\n${more}Connection: close\r\n\r\n`
      expect(await sendRaw(port, twice)).toMatch(/^HTTP\/1\.1 400 /)
    }
  })

  it('a satellite has pages while it is active, and a suspended one not even its files', async () => {
    const owner = await anOwner(app)
    const host = 'shop.customer.example'
    expect(await siteAt(host)).toBe('NOT_FOUND')
    const satellite = await aSatellite(app, owner, `https://${host}`)
    const script = /\/assets\/[\w.-]+\.js/.exec((await visit(host)).text)?.[0] as string
    expect(await siteAt(host)).toBe('satellite')
    await setSatelliteState(app, satellite, 'suspended')
    await app.get(Satellites).refresh()
    for (const path of ['/', '/handoff-callback', '/nothing', script])
      expect(await siteAt(host, path)).toBe('NOT_FOUND')
  })

  it('a satellite’s page has its own name, logo and colours, and may load that logo alone', async () => {
    const owner = await anOwner(app)
    const branding = {
      name: 'Rose "& Sons',
      logoUrl: 'https://cdn.example.net/rose.svg',
      accent: '#b91c1c',
      background: '#fff1f2',
    }
    await aSatellite(app, owner, 'https://rose.customer.example', { branding })
    await aSatellite(app, owner, 'https://plain.customer.example')
    const rose = await visit('rose.customer.example')
    expect(rose.text).toContain('<meta name="mainstay-name" content="Rose &#34;&#38; Sons"')
    expect(rose.text).toContain('<meta name="mainstay-logo" content="https://cdn.example.net/rose.svg"')
    expect(rose.text).toContain('<meta name="mainstay-accent" content="#b91c1c"')
    expect(rose.text).toContain('<meta name="mainstay-background" content="#fff1f2"')
    expect(rose.headers['content-security-policy']).toContain("img-src 'self' https://cdn.example.net;")
    const plain = await visit('plain.customer.example')
    expect(plain.text).toContain('<meta name="mainstay-logo" content=""')
    expect(plain.text).toContain('<meta name="mainstay-accent" content="#3b4fd8"')
    expect(plain.text).toContain('<meta name="mainstay-background" content=""')
    expect(plain.headers['content-security-policy']).toContain("img-src 'self';")
    expect((await visit('shop-one.test')).text).toContain('<meta name="mainstay-name" content=""')
  })

  it('a hundred visits to a satellite ask the database once, and an outage takes its looks alone', async () => {
    const owner = await anOwner(app)
    await aSatellite(app, owner, 'https://asked.customer.example')
    await aSatellite(app, owner, 'https://unasked.customer.example')
    const run = jest.spyOn(app.database, 'run')
    try {
      const begun = performance.now()
      for (let visits = 0; visits < 100; visits++) await visit('asked.customer.example')
      const asked = run.mock.calls.length
      // Other parts of the service look for news every second, and these visits take longer on a busy machine.
      const seconds = (performance.now() - begun) / 1_000
      expect(asked).toBeLessThan(10 + 3 * seconds)
      run.mockRejectedValue(new Error('down'))
      const { status, text } = await visit('unasked.customer.example')
      expect([status, text]).toEqual([200, expect.stringContaining('<meta name="mainstay-name" content=""')])
    } finally {
      run.mockRestore()
    }
  })

  it('a preview has pages at one label below its pattern, and nowhere else', async () => {
    await aSatellite(app, await anOwner(app), 'https://*.preview.example', { kind: 'preview' })
    expect(await siteAt('pull-7.preview.example')).toBe('satellite')
    for (const host of ['*', 'a.b', '', 'a/b', 'a%2eb', 'a:1@b'].map(label => `${label}.preview.example`))
      expect([host, await siteAt(host)]).toEqual([host, 'NOT_FOUND'])
    expect(await siteAt('preview.example')).toBe('NOT_FOUND')
  })

  it('no page takes the place of a route of the API', async () => {
    const routes = handlersOf(app.app).filter(({ method }) => method === 'GET')
    expect(routes.length).toBeGreaterThan(15)
    for (const { path } of routes) {
      const { headers } = await visit('www.main.test', path.replace(/:\w+/g, 'x'))
      expect([path, headers['content-type']]).toEqual([path, expect.stringMatching(/json\b/)])
    }
    for (const path of ['/api', '/api/nothing', '/health/nothing', '/.well-known/nothing'])
      expect(await siteAt('www.main.test', path)).toBe('NOT_FOUND')
  })

  it('at a satellite’s host the API goes by the origin, as everywhere', async () => {
    const ask = (origin: string, path: string) =>
      app.request({ path, headers: { Host: 'shop-one.test', Origin: origin, Accept: ACCEPT } })
    const own = await ask(SHOP_ONE, '/api/data')
    expect([own.json.code, own.headers['access-control-allow-origin']]).toEqual([
      'ACCESS_TOKEN_REQUIRED',
      SHOP_ONE,
    ])
    expect(own.headers).not.toHaveProperty('access-control-allow-credentials')
    const ofMain = await ask(MAIN, '/api/data')
    expect(ofMain.headers['access-control-allow-origin']).toBe(MAIN)
    for (const path of ['/api/data', '/', '/nothing'])
      expect((await ask('https://evil.test', path)).json.code).toBe('ORIGIN_NOT_ALLOWED')
  })

  it('limits HSTS to a satellite’s own host: the names below it are the customer’s', async () => {
    const owner = await anOwner(app)
    const suspended = await aSatellite(app, owner, 'https://suspended.customer.example')
    await setSatelliteState(app, suspended, 'suspended')
    await app.get(Satellites).refresh()
    const hstsOf = async (host: string, path: string, headers?: Record<string, string>) =>
      (await visit(host, path, headers)).headers['strict-transport-security']
    const script = /\/assets\/[\w.-]+\.js/.exec((await visit('shop-one.test')).text)?.[0] as string
    const odd = ['/%zz', `/api/team/${'x'.repeat(101)}`, `/${'x'.repeat(9_000)}`]
    for (const path of ['/', '/nothing', script, '/api/data', '/api/nothing', ...odd]) {
      for (const host of ['shop-one.test', 'suspended.customer.example'])
        expect([host, path, await hstsOf(host, path)]).toEqual([host, path, 'max-age=31536000'])
      for (const host of ['www.main.test', 'api.main.test'])
        expect([host, path, await hstsOf(host, path)]).toEqual([
          host,
          path,
          'max-age=31536000; includeSubDomains',
        ])
    }
    expect(await hstsOf('shop-one.test', '/', { 'X-Long': 'a'.repeat(20_000) })).toBe('max-age=31536000')
  })

  it('repairs a cache that has mixed up two sites', async () => {
    const ofMain = (await visit('www.main.test')).headers.etag as string
    const ofShop = (await visit('shop-one.test')).headers.etag as string
    expect(ofMain).not.toBe(ofShop)
    const { status, text } = await visit('shop-one.test', '/', { 'If-None-Match': ofMain })
    expect([status, text]).toEqual([200, expect.stringContaining('content="strict-origin"')])
  })

  it('leads to no file outside the assets, however the path is spelt', async () => {
    const up = ['..', '.', '../index.html', '..%2findex.html', '%2e%2e/index.html', '%2e%2e%2findex.html']
    const odd = ['', '..\\index.html', '..%5cindex.html', '/index.html', './index.html', '%00', '.env']
    for (const file of [...up, ...odd])
      expect([file, await siteAt('www.main.test', `/assets/${file}`)]).toEqual([file, 'NOT_FOUND'])
  })

  it('leads to no other host, whatever is before the slash at the end', async () => {
    const odd = [
      '//evil.test/',
      '///evil.test/',
      '/\\evil.test/',
      '/%2fevil.test/',
      '//login/',
      '//account/a/',
    ]
    for (const path of [...odd, '/nothing/']) {
      const { status, headers } = await visit('www.main.test', path)
      expect([path, status, headers.location]).toEqual([path, 404, undefined])
    }
    for (const [path, bare] of [
      ['//', '/'],
      ['/account//evil.test/', '/account//evil.test'],
    ] as const) {
      const { status, headers } = await visit('www.main.test', path)
      expect([status, headers.location]).toEqual([308, bare])
    }
  })

  it('answers only reading requests with a page', async () => {
    const headers = { Host: 'www.main.test', Accept: ACCEPT }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await app.request({ method, path: '/', headers })).status).toBe(404)
  })
})

it.each([
  ['main', 'production', ['main']],
  ['satellite', 'production', ['satellite']],
  ['satellite', 'development', ['satellite', 'satellite']],
  ['main', 'development', ['main']],
] as const)('PAGES=%s serves that site alone, in %s', (name, environment, served) => {
  const settings = {
    pages: [name],
    environment,
    mainOrigin: MAIN,
    publicUrl: MAIN,
    operators: null,
    brand: BRAND,
  } as unknown as Settings
  const active = new Map([SHOP_ONE, 'http://127.0.0.1:3001'].map(origin => [origin, { origin }]))
  const satellites = { find: (origin: string) => active.get(origin) ?? null } as unknown as Satellites
  const hosts = new SiteHosts(settings, satellites, {} as Database, new ConsoleAddress(settings))
  const found = ['www.main.test', 'shop-one.test', '127.0.0.1:3001'].map(
    host => hosts.siteAt(host, {} as FastifyRequest)?.name,
  )
  expect(found.filter(Boolean)).toEqual(served)
})

it('the scripts of the main site are small', () => {
  const folder = 'web/dist/main/assets'
  // The words that tell a weak password come when one is typed, those about fields when the service refuses one.
  const later = /^(strength-|_later-messages-)/
  const scripts = readdirSync(folder).filter(file => file.endsWith('.js') && !later.test(file))
  expect(scripts.length).toBeGreaterThan(1)
  const sizeOf = (file: string) => gzipSync(readFileSync(`${folder}/${file}`)).length
  const sum = (files: readonly string[]) => files.reduce((total, file) => total + sizeOf(file), 0)
  // Of the languages a page loads one.
  const languages = readdirSync('web/messages')
    .filter(file => file.endsWith('.json'))
    .map(file => scripts.filter(script => script.startsWith(file.replace('.json', '-'))))
  expect(languages.map(files => files.length)).toEqual(languages.map(() => 1))
  const common = scripts.filter(file => !languages.flat().includes(file))
  expect(sum(common) + Math.max(...languages.map(sum))).toBeLessThanOrEqual(MAX_BUNDLE_BYTES)
})
