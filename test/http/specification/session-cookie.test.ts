import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { anOwner, signIn } from '../../support/people.js'
import { BACKENDS, TestApp } from '../../support/test-app.js'

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

  it.each([
    ['HttpOnly: yes', 'httponly', ''],
    ['Secure: yes (HTTPS only)', 'secure', ''],
    ['SameSite: Lax', 'samesite', 'Lax'],
    ["Domain: the main site's domain, shared across its subdomains", 'domain', 'main.test'],
    ['Max age: 30 days', 'max-age', String(30 * 24 * 60 * 60)],
    ['Path: /, beside the table', 'path', '/'],
  ])('%s', async (_, attribute, value) => {
    expect(await cookieAt(app)).toHaveProperty(attribute, value)
  })

  it('Domain: none, so for this host only, where COOKIE_DOMAIN is empty', async () => {
    expect(await cookieAt(hostOnly)).not.toHaveProperty('domain')
  })

  it('has these attributes and no other', async () => {
    const names = ['name', 'value', 'httponly', 'secure', 'samesite', 'max-age', 'path']
    expect(Object.keys(await cookieAt(app)).sort()).toEqual([...names, 'domain'].sort())
    expect(Object.keys(await cookieAt(hostOnly)).sort()).toEqual(names.sort())
  })

  it('is not set for a satellite', async () => {
    const { answer } = await signIn(app, await anOwner(app), 'satellite')
    expect(answer.setCookies).toEqual([])
  })
})
