import { expect, it } from '@jest/globals'
import { aSession } from '../../contracts/a-session.js'
import { isSameClient } from '../../sources.js'

const FIREFOX = 'Firefox on Linux'

it.each<[string, { ip?: string; userAgent?: string | null }, boolean]>([
  ['the same', {}, true],
  ['another address of its network', { ip: '192.0.2.254' }, true],
  ['another network', { ip: '192.0.3.1' }, false],
  ['another browser', { userAgent: 'curl/8.5.0' }, false],
  ['another browser in its network', { ip: '192.0.2.254', userAgent: 'curl/8.5.0' }, false],
  ['no browser', { userAgent: null }, false],
])('whether a session is used by the same client, by %s', (_, changes, isSame) => {
  const session = aSession({ ip: '192.0.2.1', userAgent: FIREFOX })
  const client = { requestId: 'a', origin: null, ip: '192.0.2.1', userAgent: FIREFOX, ...changes }
  expect(isSameClient(session, client)).toBe(isSame)
})
