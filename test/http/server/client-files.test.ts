import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

const app = anApp()

it.each([
  ['main site', MAIN],
  ['satellite', SHOP_ONE],
])('pages 2: a %s gets the client of this release, with its hash', async (_, Origin) => {
  const { json: hashes } = await app.request({
    path: `/client/${version}/integrity.json`,
    headers: { Origin },
  })
  expect(Object.keys(hashes)).toEqual(expect.arrayContaining(['mainstay.js', 'mainstay-handoff.js']))
  for (const [file, hash] of Object.entries(hashes)) {
    const { status, headers, text } = await app.request({
      path: `/client/${version}/${file}`,
      headers: { Origin },
    })
    expect([status, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(headers['access-control-allow-origin']).toBe(Origin)
    expect(headers.vary).toContain('Origin')
    expect(hash).toBe(`sha384-${createHash('sha384').update(text).digest('base64')}`)
    expect(text).toBe(readFileSync(`packages/client/dist/${file}`, 'utf8'))
  }
})

it.each([
  ['an origin that is not listed', 'mainstay.js', { Origin: 'https://evil.test' }, 403],
  ['another version', '../9.9.9/mainstay.js', {}, 404],
  ['another file', 'index.js', {}, 404],
  ['a file outside', '..%2f..%2fmain%2findex.html', {}, 404],
])('refuses %s', async (_, file, headers, status) => {
  const path = `/client/${version}/${file}`.replace(`${version}/../`, '')
  expect(await app.request({ path, headers })).toMatchObject({ status })
})
