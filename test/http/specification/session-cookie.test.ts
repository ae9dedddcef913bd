import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { anOwner, signIn } from '../../support/people.js'
import { BACKENDS, TestApp } from '../../support/test-app.js'

const DAYS_30 = 30 * 24 * 60 * 60

describe.each(BACKENDS)('Session cookie (main site only), on %s', backend => {
  let app: TestApp
  let hostOnly: TestApp
  beforeAll(async () => {
    app = await TestApp.startOn(backend)
    hostOnly = await TestApp.startOn(backend, { COOKIE_DOMAIN: '' })
  })
  afterAll(() => Promise.all([app.stop(), hostOnly.stop()]))

  /** The attributes in lower case, `name` and `value` beside; flags are "". */
  async function cookieAt(api: TestApp): Promise<Record<string, string>> {
    const { answer } = await signIn(api, await anOwner(api), 'main')
    const lines = answer.setCookies.filter(line => line.startsWith('sessionId='))
    expect(lines).toHaveLength(1)
    const [pair = '', ...attributes] = (lines[0] ?? '').split('; ')
    const [name = '', value = ''] = pair.split('=')
    return {
      name,
      value,
      ...Object.fromEntries(
        attributes.map(text => [text.split('=')[0]?.toLowerCase(), text.split('=')[1] ?? '']),
      ),
    }
  }

  it('Name: sessionId', async () => {
    expect(await cookieAt(app)).toMatchObject({
      name: 'sessionId',
      value: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it('HttpOnly: yes', async () => {
    expect(await cookieAt(app)).toHaveProperty('httponly')
  })

  it('Secure: yes (HTTPS only)', async () => {
    expect(await cookieAt(app)).toHaveProperty('secure')
  })

  it('SameSite: Lax', async () => {
    expect(await cookieAt(app)).toHaveProperty('samesite', 'Lax')
  })

  it("Domain: the main site's domain, shared across its subdomains", async () => {
    expect(await cookieAt(app)).toHaveProperty('domain', 'main.test')
  })

  it('Domain: none, so for this host only, where COOKIE_DOMAIN is empty', async () => {
    expect(await cookieAt(hostOnly)).not.toHaveProperty('domain')
  })

  it('Max age: 30 days', async () => {
    expect(await cookieAt(app)).toHaveProperty('max-age', String(DAYS_30))
  })

  it('has these attributes, Path=/ and no other', async () => {
    const names = ['name', 'value', 'httponly', 'secure', 'samesite', 'max-age', 'path']
    expect(Object.keys(await cookieAt(app)).sort()).toEqual([...names, 'domain'].sort())
    expect(Object.keys(await cookieAt(hostOnly)).sort()).toEqual(names.sort())
    expect(await cookieAt(app)).toHaveProperty('path', '/')
  })

  it('is not set for a satellite', async () => {
    const { answer } = await signIn(app, await anOwner(app), 'satellite')
    expect(answer.setCookies).toEqual([])
  })
})
