import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals'
import { eventually } from '../../support/eventually.js'
import { request } from '../../support/http-request.js'
import { freePort } from '../../support/processes/free-port.js'
import { Laptop } from '../../support/processes/laptop.js'
import { ServerFolder } from '../../support/processes/server-folder.js'
import { slow } from '../../support/tiers.js'

const PATIENCE_MS = 120_000
const OWNER = { email: 'owner@example.com', password: 'correct horse battery staple', source: 'main' }
const HTML = { Accept: 'text/html' }

let folder: ServerFolder
let laptop: Laptop | undefined
beforeAll(async () => {
  folder = await ServerFolder.create('development', 'TERM')
})
afterEach(() => laptop?.stop())
afterAll(() => folder.remove())

/** `npm start` with its satellite at some free port; always with the same data. */
async function start(): Promise<{ satellite: string; laptop: Laptop }> {
  const satellite = `http://127.0.0.1:${await freePort()}`
  const settings = { ALLOWED_ORIGINS: satellite, DATA_DIR: join(folder.path, 'data'), LOG_LEVEL: 'info' }
  laptop = await Laptop.start('dist/joined/development.js', [], settings)
  return { satellite, laptop }
}

/** The satellites that the owner sees in the account. */
async function satellitesOf({ url }: Laptop) {
  const login = await request(url, {
    method: 'POST',
    path: '/api/login',
    body: OWNER,
    headers: { Origin: url },
  })
  const headers = {
    Authorization: `Bearer ${login.json.accessToken}`,
    Cookie: login.setCookies[0]?.split(';')[0] as string,
  }
  const { json } = await request(url, { path: '/api/satellites', headers })
  return json.satellites
}

slow(
  'npm start names what is where, and its satellite is one of the account, with a name and colours of its own',
  async () => {
    const { satellite, laptop } = await start()
    const banner = laptop.terminal()
    for (const text of [
      laptop.url,
      satellite,
      'Corner Shop',
      OWNER.email,
      'member@example.com',
      OWNER.password,
    ])
      expect(banner).toContain(text)
    expect(banner).toContain('npm run example -- shop')
    expect(await satellitesOf(laptop)).toEqual([
      expect.objectContaining({ origin: satellite, name: 'Corner Shop', state: 'active' }),
    ])
    const { text: page } = await request(satellite, { headers: HTML })
    expect(page).toContain('<meta name="mainstay-name" content="Corner Shop"')
    expect(page).toContain('<meta name="mainstay-main-name" content="Mainstay"')
    expect(page).toMatch(/<meta name="mainstay-background" content="#[0-9a-f]{6}"/)
  },
  PATIENCE_MS,
)

slow(
  'npm start with its satellite elsewhere takes it along, and logs one line a request',
  async () => {
    const { satellite, laptop } = await start()
    expect(await satellitesOf(laptop)).toEqual([
      expect.objectContaining({ origin: satellite, state: 'active' }),
    ])
    await request(laptop.url, { path: '/nothing.js' })
    const lines = /^\d\d:\d\d:\d\d GET \/api\/satellites 200 \d+ ms\n.* \/nothing\.js 404 \d+ ms$/m
    await eventually(() => lines.test(laptop.terminal()), { what: 'both lines' })
  },
  PATIENCE_MS,
)
