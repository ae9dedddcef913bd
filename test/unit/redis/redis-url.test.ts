import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { createRedisClient, parseRedisUrl } from '../../sources.js'

describe('parseRedisUrl', () => {
  it.each([
    ['redis://localhost:6379/0', { kind: 'single', url: 'redis://localhost:6379/0' }],
    ['rediss://user:p%40ss@host', { kind: 'single', url: 'rediss://user:p%40ss@host' }],
    [
      'redis+cluster://one:7001,two:7002',
      { kind: 'cluster', urls: ['redis://one:7001', 'redis://two:7002'] },
    ],
    [
      'rediss+cluster://user:secret@one:7001,two:7002',
      { kind: 'cluster', urls: ['rediss://user:secret@one:7001', 'rediss://user:secret@two:7002'] },
    ],
    [
      'redis+sentinel://one:26379,two/mymaster',
      {
        kind: 'sentinel',
        masterName: 'mymaster',
        sentinels: [
          { host: 'one', port: 26379 },
          { host: 'two', port: 26379 },
        ],
      },
    ],
    [
      'redis+sentinel://user:p%2Fss@[::1]:26380/mymaster',
      {
        kind: 'sentinel',
        masterName: 'mymaster',
        username: 'user',
        password: 'p/ss',
        sentinels: [{ host: '::1', port: 26380 }],
      },
    ],
    [
      'redis+sentinel://:secret@one/mymaster',
      {
        kind: 'sentinel',
        masterName: 'mymaster',
        password: 'secret',
        sentinels: [{ host: 'one', port: 26379 }],
      },
    ],
  ])('reads %s', (url, address) => {
    expect(parseRedisUrl(url)).toEqual(address)
  })

  it.each([
    '',
    'localhost:6379',
    'http://localhost:6379',
    'redis://',
    'redis+other://one:6379',
    'redis+sentinel://one:26379',
    'redis+sentinel://one:26379/',
    // Not to be taken for one without TLS.
    'rediss+sentinel://one:26379/mymaster',
  ])('refuses %j', url => {
    expect(() => parseRedisUrl(url)).toThrow('SESSION_STORE_URL')
  })

  it('does not show a password in what it throws', () => {
    expect(() => parseRedisUrl('redis+sentinel://user:secret@one:26379')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    )
  })

  it.each([
    'redis://:s3cr#t@h:6379',
    'redis://:s3cr/t@h:6379',
    'redis://:s3cr?t@h:6379',
    'rediss+cluster://user:s3cr#t@one:7001,two:7002',
    'redis+sentinel://user:s3cr@t@one:26379/mymaster',
    'redis://:s3cr%t@h:notaport',
  ])('refuses %s without showing any of it', url => {
    const shown = inspect(thrownBy(url), { depth: 10, showHidden: true })
    expect(shown).toContain('SESSION_STORE_URL')
    expect(shown).not.toContain('s3cr')
  })
})

function thrownBy(url: string): unknown {
  try {
    return parseRedisUrl(url)
  } catch (error) {
    return error
  }
}

describe('createRedisClient', () => {
  it.each([
    ['rediss', 0x16],
    ['redis', '*'.charCodeAt(0)],
  ])('reaches an IPv6 address by %s (integration 9)', async (scheme, firstByte) => {
    const server = createServer().listen(0, '::1')
    await once(server, 'listening')
    const client = createRedisClient(
      `${scheme}://user:secret@[::1]:${(server.address() as AddressInfo).port}/0`,
    )
    client.onError(() => {})
    const failed = Promise.resolve(client.connect()).catch(() => {})
    try {
      const [socket] = await once(server, 'connection', { signal: AbortSignal.timeout(3_000) })
      const [bytes] = await once(socket, 'data')
      expect(bytes[0]).toBe(firstByte)
      socket.destroy()
    } finally {
      client.close()
      server.close()
    }
    await failed
  })
})
