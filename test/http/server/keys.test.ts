import { readFile, stat } from 'node:fs/promises'
import { describe, expect, it } from '@jest/globals'
import { replaceKeys, rotateKeys } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, signIn } from '../../support/people.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { run } from '../../support/processes/run-program.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome, readData, refreshByCookie } from '../support/api-calls.js'
import { headerOf } from '../support/token-claims.js'

const TOKEN_SECONDS = 900

const app = anApp()

async function publishedKids(): Promise<string[]> {
  const { json } = await app.request({ path: '/.well-known/jwks.json' })
  return json.keys.map(({ kid }: { kid: string }) => kid)
}

describe('GET /.well-known/jwks.json', () => {
  it('publishes the public keys, the current and the next, and nothing of the private ones', async () => {
    const { status, json } = await app.request({ path: '/.well-known/jwks.json' })
    expect(status).toBe(200)
    expect(Object.keys(json)).toEqual(['keys'])
    expect(json.keys).toHaveLength(2)
    for (const key of json.keys)
      expect(key).toEqual({
        kty: 'EC',
        crv: 'P-256',
        alg: 'ES256',
        use: 'sig',
        kid: expect.any(String),
        x: expect.any(String),
        y: expect.any(String),
      })
  })

  it('may be cached for ten minutes by everybody', async () => {
    const { headers } = await app.request({ path: '/.well-known/jwks.json' })
    expect(headers['cache-control']).toBe('public, max-age=600')
  })

  it('contains the key that signs', async () => {
    const { accessToken } = await signIn(app, await anOwner(app), 'main')
    expect(headerOf(accessToken)).toEqual({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: (await publishedKids())[0],
    })
  })
})

describe('rotating the keys while the service runs', () => {
  slow(
    'lets the published key sign, old tokens live out their minutes, then forgets the old key',
    async () => {
      const before = await signIn(app, await anOwner(app), 'main')
      const oldKid = headerOf(before.accessToken).kid as string
      const nextKid = (await publishedKids()).find(kid => kid !== oldKid)
      // The next key has to be known to verifiers for ten minutes.
      app.clock.advance(600)
      await rotateKeys(app.settings.jwtKeysFile, app.clock.now(), TOKEN_SECONDS)

      const after = await eventually(
        async () => {
          const { accessToken } = (await refreshByCookie(app, before.sessionId)).json
          return headerOf(accessToken).kid !== oldKid && accessToken
        },
        { what: 'the new key to sign', everyMs: 200 },
      )
      expect(headerOf(after).kid).toBe(nextKid)
      expect([await readData(app, before.accessToken), await readData(app, after)].map(outcome)).toEqual([
        '200',
        '200',
      ])
      expect(await publishedKids()).toEqual(expect.arrayContaining([oldKid, nextKid]))

      app.clock.advance(TOKEN_SECONDS - 600 + 10)
      expect([await readData(app, before.accessToken), await readData(app, after)].map(outcome)).toEqual([
        '401 INVALID_ACCESS_TOKEN',
        '200',
      ])
      app.clock.advance(TOKEN_SECONDS + 600)
      expect(await publishedKids()).not.toContain(oldKid)
    },
  )
})

describe('security M8: replacing the keys, as when they were stolen', () => {
  slow(
    'ends the tokens of the current and of the next key within seconds, also those that were seen before',
    async () => {
      const owner = await anOwner(app)
      const signedIn = await signIn(app, owner, 'main')
      const stolen = await publishedKids()
      expect(outcome(await readData(app, signedIn.accessToken))).toBe('200')
      await replaceKeys(app.settings.jwtKeysFile, app.clock.now())
      await eventually(async () => (await readData(app, signedIn.accessToken)).status === 401, {
        what: 'the token to be refused',
        everyMs: 200,
      })
      const published = await publishedKids()
      expect(published).toHaveLength(2)
      expect(published.filter(kid => stolen.includes(kid))).toEqual([])
      // Nobody is logged out.
      const { accessToken } = (await refreshByCookie(app, signedIn.sessionId)).json
      expect(published).toContain(headerOf(accessToken).kid)
      expect(outcome(await readData(app, accessToken))).toBe('200')
    },
  )

  slow('can be done at the command line, which asks for confirmation', async () => {
    const { jwtKeysFile, dataDir } = app.settings
    const settings = (file: string) => ({ NODE_ENV: 'test', DATA_DIR: dataDir, JWT_KEYS_FILE: file })
    const before = await readFile(jwtKeysFile, 'utf8')
    const untold = await runInProcess(['keys:replace'], settings(jwtKeysFile))
    expect(untold).toMatchObject({ code: 1, errors: expect.stringContaining("required option '--now'") })
    expect(await readFile(jwtKeysFile, 'utf8')).toBe(before)

    const published = await publishedKids()
    const done = await run('dist/joined/cli.js', ['keys:replace', '--now'], settings(jwtKeysFile))
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining('Replaced') })
    expect(done.output + done.errors).not.toContain('"d"')
    expect((await stat(jwtKeysFile)).mode & 0o777).toBe(0o600)
    await eventually(async () => (await publishedKids()).every(kid => !published.includes(kid)), {
      what: 'the new keys to be published',
      everyMs: 200,
    })

    const missing = await runInProcess(['keys:replace', '--now'], settings(`${jwtKeysFile}.missing`))
    expect(missing).toMatchObject({ code: 1, errors: expect.stringContaining('cannot be used') })
  })
})
