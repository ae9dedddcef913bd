import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fastify, { type FastifyInstance } from 'fastify'
import { PAGE_PATHS, serveSite } from '../../../dev/web-sites/serve-site.js'

const ORIGIN = 'https://site.test'
const NAMES = ['main', 'satellite'] as const
/** Issue: "main bundle at most 120 kB gzipped". */
const MAX_BUNDLE_BYTES = 120_000

describe.each(NAMES)('the built pages of the %s site', name => {
  let server: FastifyInstance
  beforeAll(async () => {
    server = fastify()
    const places = {
      apiUrl: 'https://api.main.test',
      mainUrl: 'https://www.main.test',
      satellites: [],
    }
    await serveSite(server, { name, origin: ORIGIN, paths: PAGE_PATHS[name], places })
  })
  afterAll(() => server.close())

  function get(url: string, headers: Record<string, string> = {}) {
    return server.inject({ url, headers: { host: new URL(ORIGIN).host, ...headers } })
  }

  it('pages 5: at another name of the server the browser is sent to the right one', async () => {
    const answer = await get('/?a=b', { host: '127.0.0.1:3000' })
    expect([answer.statusCode, answer.headers.location]).toEqual([303, `${ORIGIN}/?a=b`])
  })

  it('pages 10: an address that is nothing is a page for people, and no page for programs', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
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

  it('no window that has opened the page of the hand-off can reach it', async () => {
    const policies = await Promise.all(PAGE_PATHS[name].map(path => get(path)))
    const isolated = policies.filter(({ headers }) => headers['cross-origin-opener-policy'] === 'same-origin')
    expect(isolated).toHaveLength(name === 'main' ? 1 : 0)
  })

  it('has no inline script or style, and what it loads is there and may be kept', async () => {
    const { body } = await get('/')
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/)
    const files = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file as string)
    expect(files.length).toBeGreaterThanOrEqual(3)
    for (const file of files) {
      const answer = await server.inject(file)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    }
  })

  it('nothing else is served', async () => {
    for (const path of ['/nothing', '/assets/', '/assets/../index.html', '/assets/%2e%2e/index.html'])
      expect([403, 404]).toContain((await server.inject(path)).statusCode)
  })
})

it('the scripts of the main site are small', () => {
  const folder = 'web/dist/main/assets'
  const scripts = readdirSync(folder).filter(file => file.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(0)
  const sizes = scripts.map(file => gzipSync(readFileSync(`${folder}/${file}`)).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_BUNDLE_BYTES)
})
