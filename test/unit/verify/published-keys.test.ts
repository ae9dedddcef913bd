import { afterEach, expect, it, jest } from '@jest/globals'
import { PublishedKeys } from '../../sources.js'

afterEach(() => {
  jest.restoreAllMocks()
})

it('are fetched anew each time, whatever a framework keeps of other answers (W17)', async () => {
  const fetch = jest.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ keys: [] }))
  const keys = new PublishedKeys('https://auth.test/.well-known/jwks.json', () => 0)
  await expect(keys.keyOf({ alg: 'ES256', kid: 'unknown' })).rejects.toMatchObject({
    code: 'ERR_JWKS_NO_MATCHING_KEY',
  })
  expect(fetch.mock.calls).toEqual([[expect.any(String), expect.objectContaining({ cache: 'no-store' })]])
})
