import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { BrowserContext } from 'playwright-core'
import { API, EVIL, MAIN, SHOP_ONE, SIBLING } from './stage/hosts.js'
import { aStage } from './stage/stage.js'
import { Tab } from './stage/tab.js'

/** A new one each time: browsers keep what a preflight said of a path. */
let path = ''
beforeEach(() => {
  path = `/api/${randomUUID()}`
})

const stage = aStage()
let person: BrowserContext
beforeAll(async () => {
  person = await stage.newPerson()
})

/** The status that a page gets for such a call; `TypeError` when its browser does not let it make or read it. */
async function call(origin: string, init: object): Promise<number | string> {
  const tab = await Tab.open(person, origin)
  stage.received.forget()
  return tab.attempt(`fetch('${API}${path}', input).then(answer => answer.status)`, init)
}

const json = { 'Content-Type': 'application/json' }
const bearer = { Authorization: 'Bearer x' }
const session = { 'X-Session-ID': 'x' }

describe('after a preflight that allows it', () => {
  test.each<[string, string, object]>([
    ['JSON with credentials from the main site', MAIN, { method: 'POST', headers: json, body: '{}' }],
    ['a bearer with credentials from the main site', MAIN, { headers: bearer }],
    ['PUT from the main site', MAIN, { method: 'PUT' }],
    ['PATCH from the main site', MAIN, { method: 'PATCH' }],
    ['DELETE from the main site', MAIN, { method: 'DELETE' }],
  ])('%s is made', async (_, origin, init) => {
    expect(await call(origin, { ...init, credentials: 'include' })).toBe(404)
    expect(stage.received.to(path)).toHaveLength(1)
    expect(stage.received.preflightsOf(path)).toMatchObject([{ status: 204, headers: { origin } }])
  })

  test.each<[string, object]>([
    ['JSON', { method: 'POST', headers: json, body: '{}' }],
    ['a bearer', { headers: bearer }],
    ['a session header', { method: 'POST', headers: session }],
    ['all of them', { method: 'PATCH', headers: { ...json, ...bearer, ...session }, body: '{}' }],
  ])('%s from a satellite is sent, without credentials', async (_, init) => {
    expect(await call(SHOP_ONE, { ...init, credentials: 'omit' })).toBe(404)
    expect(stage.received.to(path)).toHaveLength(1)
    expect(stage.received.preflightsOf(path)).toHaveLength(1)
  })
})

describe('after a preflight that refuses it', () => {
  test.each<[string, string, object]>([
    ['a session header from the main site', MAIN, { method: 'POST', headers: session }],
    ['a header that nobody knows, from the main site', MAIN, { headers: { 'X-Other': 'x' } }],
    ['a header that nobody knows, from a satellite', SHOP_ONE, { headers: { 'X-Other': 'x' } }],
    ['a method that nobody knows, from a satellite', SHOP_ONE, { method: 'PROPFIND' }],
    ['credentials from a satellite', SHOP_ONE, { headers: bearer, credentials: 'include' }],
    ['JSON from a stranger', EVIL, { method: 'POST', headers: json, body: '{}' }],
    ['a bearer from a stranger', EVIL, { headers: bearer }],
    ['DELETE from a stranger', EVIL, { method: 'DELETE' }],
    ['JSON from a stranger of the same site', SIBLING, { method: 'POST', headers: json, body: '{}' }],
  ])('%s is never sent', async (_, origin, init) => {
    expect(await call(origin, init)).toBe('TypeError')
    expect(stage.received.preflightsOf(path)).toHaveLength(1)
    expect(stage.received.to(path)).toEqual([])
  })
})

test('the browser keeps the answer to a preflight, and asks once for many calls', async () => {
  const tab = await Tab.open(person, SHOP_ONE)
  stage.received.forget()
  const sendTwice = `(async () => {
    for (const body of ['{"n":1}', '{"n":2}'])
      await fetch('${API}${path}', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  })()`
  await tab.run(sendTwice)
  expect(stage.received.to(path)).toHaveLength(2)
  expect(stage.received.preflightsOf(path)).toHaveLength(1)
})

test.each([MAIN, SHOP_ONE])('a page of %s can read the id of its request', async origin => {
  const tab = await Tab.open(person, origin)
  const headers = await tab.run(
    `fetch('${API}/api/data').then(answer => [...answer.headers].map(([name]) => name))`,
  )
  expect(headers).toContain('x-request-id')
})
