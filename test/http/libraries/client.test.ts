import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Client, MainstayError, mainClient, mobileClient, satelliteClient } from '@mainstay-auth/client'
import { browserFetch } from '../../support/client/browser-fetch.js'
import { memoryStorage } from '../../support/client/memory-storage.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, PASSWORD } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'

const TOKEN_SECONDS = 900

describe('the client', () => {
  let app: TestApp
  let email: string
  const open: Client[] = []
  beforeAll(async () => {
    app = await TestApp.start()
    email = (await anOwner(app)).email
  })
  afterAll(async () => {
    for (const client of open) client.close()
    await app.stop()
  })

  function ofMain(fetch = browserFetch(MAIN)): Client {
    return opened(mainClient({ baseUrl: app.url, fetch }))
  }

  function ofSatellite(storage = memoryStorage(), fetch = browserFetch(SHOP_ONE)): Client {
    return opened(satelliteClient({ baseUrl: app.url, storage, fetch }))
  }

  function ofApp(storage = memoryStorage()): Client {
    return opened(mobileClient({ baseUrl: app.url, storage }))
  }

  function opened(client: Client): Client {
    open.push(client)
    return client
  }

  async function readData(client: Client): Promise<{ status: number; userId?: string }> {
    const answer = await client.fetch('/api/data')
    return { status: answer.status, ...((await answer.json()) as { userId: string }) }
  }

  describe.each([
    ['main site', () => ofMain()],
    ['satellite', () => ofSatellite()],
    ['mobile app', () => ofApp()],
  ])('of a %s', (_, make) => {
    it('logs in, reads, and logs out', async () => {
      const client = make()
      const seen: string[] = []
      client.onChange(({ status }) => seen.push(status))
      const caller = await client.login({ email, password: PASSWORD })
      expect(client.state).toEqual({ status: 'loggedIn', caller })
      expect(await readData(client)).toMatchObject({ status: 200, userId: caller.userId })

      await client.logout()
      expect(seen).toEqual(['loggedIn', 'loggedOut'])
      await expect(readData(client)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
      expect(await client.refresh()).toBeNull()
    })

    it('goes on after its token has expired, which it could not know of', async () => {
      const client = make()
      await client.login({ email, password: PASSWORD })
      app.clock.advance(TOKEN_SECONDS + 10)
      const answers = await Promise.all([readData(client), readData(client), readData(client)])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    })

    it('is logged out when its session was revoked elsewhere', async () => {
      const client = make()
      await client.login({ email, password: PASSWORD })
      const elsewhere = ofMain()
      await elsewhere.login({ email, password: PASSWORD })
      expect((await elsewhere.fetch('/api/sessions', { method: 'DELETE' })).ok).toBe(true)
      app.clock.advance(TOKEN_SECONDS + 10)
      expect((await readData(client)).status).toBe(401)
      expect(client.state).toEqual({ status: 'loggedOut', caller: null, cause: 'revoked' })
    })

    it('logs out of the service also when its token has expired', async () => {
      const client = make()
      const { sid } = await client.login({ email, password: PASSWORD })
      app.clock.advance(TOKEN_SECONDS + 10)
      await client.logout()
      expect(await app.auditRows({ action: 'logout', sid })).toHaveLength(1)
    })

    it('says by its code why nobody was logged in', async () => {
      const client = make()
      const wrong = client.login({ email, password: 'wrong' })
      await expect(wrong).rejects.toBeInstanceOf(MainstayError)
      await expect(wrong).rejects.toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' })
      await expect(client.login({ email: 'nobody', password: PASSWORD })).rejects.toMatchObject({
        status: 400,
        code: 'INVALID_BODY',
        requestId: expect.any(String),
        errors: [{ field: 'email', code: 'NOT_AN_EMAIL', message: expect.any(String) }],
      })
      expect(client.state.status).toBe('unknown')
    })
  })

  it('says that a session has expired, in an open page and in one that is opened later', async () => {
    const page = ofMain()
    const storage = memoryStorage()
    await page.login({ email, password: PASSWORD })
    await ofSatellite(storage).login({ email, password: PASSWORD })
    app.clock.advance(app.settings.sessionTtlSeconds + 60)
    for (const client of [page, ofSatellite(storage)]) {
      expect(await client.refresh()).toBeNull()
      expect(client.state).toEqual({ status: 'loggedOut', caller: null, cause: 'expired' })
    }
  })

  it('takes its session up again when a page of the main site is loaded anew', async () => {
    const cookies = browserFetch(MAIN)
    const { userId } = await ofMain(cookies).login({ email, password: PASSWORD })
    const reloaded = ofMain(cookies)
    expect(reloaded.state.status).toBe('unknown')
    expect(await readData(reloaded)).toMatchObject({ status: 200, userId })
  })

  it('takes its session up again from the storage, and leaves only its device id there after a logout', async () => {
    const storage = memoryStorage()
    const { userId } = await ofSatellite(storage).login({ email, password: PASSWORD })
    const reloaded = ofSatellite(storage)
    expect(await reloaded.refresh()).toMatchObject({ userId, source: 'satellite' })
    expect(storage.values).toHaveLength(2)
    await reloaded.logout()
    expect(storage.values).toEqual([expect.stringMatching(/^[\w-]{43}$/)])
  })

  it('knows nobody on a page that was never logged in', async () => {
    expect(await ofMain().refresh()).toBeNull()
    expect(await ofSatellite().refresh()).toBeNull()
  })
})

describe('the client, with tokens of two seconds,', () => {
  const app = anApp({ ACCESS_TOKEN_TTL_SECONDS: '2' })

  it('pays with the token and the cookie of the main site', async () => {
    const { email } = await anOwner(app)
    const client = mainClient({ baseUrl: app.url, fetch: browserFetch(MAIN) })
    await client.login({ email, password: PASSWORD })
    const answer = await client.fetch('/api/subscription/create', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    })
    expect(answer.status).toBe(201)
    client.close()
  })

  slow('refreshes ahead of their end, so that no request is refused', async () => {
    const { email } = await anOwner(app)
    const refused: string[] = []
    const page = browserFetch(MAIN)
    const watched: typeof fetch = async (input, init) => {
      const answer = await page(input, init)
      if (answer.status === 401) refused.push(answer.url)
      return answer
    }
    const client = mainClient({ baseUrl: app.url, fetch: watched })
    await client.login({ email, password: PASSWORD })
    const first = await client.accessToken()
    const tokens = new Set([first])
    await eventually(
      async () => {
        expect((await client.fetch('/api/data')).status).toBe(200)
        return tokens.add(await client.accessToken()).size === 4
      },
      { what: 'three refreshes', everyMs: 50 },
    )
    expect(refused).toEqual([])
    client.close()
  })
})
