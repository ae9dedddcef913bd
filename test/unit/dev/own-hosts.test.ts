import { expect, it } from '@jest/globals'
import fastify from 'fastify'
import { refuseOtherHosts } from '../../sources.js'

const OWN = 'http://localhost:3000'

it.each([
  ['localhost:3000', {}, 200],
  ['127.0.0.1:3000', {}, 200],
  ['[::1]:3000', {}, 200],
  ['192.0.2.7:3000', {}, 200],
  ['rebound.example:3000', {}, 421],
  ['localhost.rebound.example', {}, 421],
  ['rebound.example@', {}, 421],
  ['localhost:3000', { origin: OWN }, 200],
  ['localhost:3000', { origin: 'http://127.0.0.1:3001' }, 421],
  ['localhost:3000', { origin: 'null' }, 421],
])('at the host %j with %j answers %d what only development has (S11)', async (host, headers, status) => {
  const server = fastify()
  refuseOtherHosts(server, { publicUrl: OWN, mainOrigin: OWN } as never)
  const paths = ['/dev/mails', '/dev/mails/0', '/api/docs', '/api/docs-json', '/docs/', '/docs?a=1']
  for (const path of [
    '/api/data',
    '/devices',
    ...new Set(paths.map(path => path.split('?', 1)[0] as string)),
  ])
    server.get(path, () => 'here')
  const statusOf = async (url: string) =>
    [url, (await server.inject({ url, headers: { ...headers, host } })).statusCode] as const
  // The router reads the last one as /dev/mails.
  const urls = [...paths, '/%64ev/mails']
  expect(await Promise.all(urls.map(statusOf))).toEqual(urls.map(url => [url, status]))
  expect(await Promise.all(['/api/data', '/devices'].map(statusOf))).toEqual([
    ['/api/data', 200],
    ['/devices', 200],
  ])
})
