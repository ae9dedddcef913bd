import { expect } from '@jest/globals'
import type { TestResponse } from '../support/http-request.js'
import type { Service } from './service/service.js'
import { sessionCookieOf } from './values/session-cookie.js'

/** What a case says of every answer. */
export interface Expectations {
  /** Empty for a sequence. */
  statusIn: number[]
  bodyContains?: string[]
  bodyNotContains?: string[]
  headerEquals?: Record<string, string>
  headerSetEquals?: Record<string, string[]>
  headerContains?: Record<string, string>
  headerNotContains?: Record<string, string>
  headerAbsent?: string[]
  jsonKeysExact?: string[]
  jsonMatches?: Record<string, 'uuid-v4'>
  setCookie?: Record<string, string | number | boolean>
  notSetCookie?: boolean
  locationNotContains?: string[]
}

const PATTERNS = { 'uuid-v4': /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/ }

type Check<T> = (answer: TestResponse, expected: T, service: Service) => void

const CHECKS: { [K in keyof Expectations]-?: Check<NonNullable<Expectations[K]>> } = {
  statusIn: ({ status, text }, statuses) => {
    if (!statuses.includes(status)) throw new Error(`${status} is not one of ${statuses}: ${text}`)
  },
  bodyContains: ({ text }, parts) => {
    for (const part of parts) expect(text).toContain(part)
  },
  bodyNotContains: ({ text }, parts, { secrets }) => {
    for (const part of parts) {
      if (part === '{{SECRETS}}') expect(secrets.foundIn(text)).toEqual([])
      else expect(text).not.toContain(part)
    }
  },
  headerEquals: ({ headers }, expected) => {
    for (const [name, value] of Object.entries(expected)) expect(headers[name.toLowerCase()]).toBe(value)
  },
  headerSetEquals: ({ headers }, expected) => {
    for (const [name, values] of Object.entries(expected))
      expect(listed(headers[name.toLowerCase()])).toEqual(listed(values.join(',')))
  },
  headerContains: ({ headers }, expected) => {
    for (const [name, part] of Object.entries(expected)) expect(headers[name.toLowerCase()]).toContain(part)
  },
  headerNotContains: ({ headers }, expected) => {
    for (const [name, part] of Object.entries(expected))
      expect(headers[name.toLowerCase()]?.toLowerCase() ?? '').not.toContain(part.toLowerCase())
  },
  headerAbsent: ({ headers }, names) => {
    for (const name of names) expect(headers).not.toHaveProperty(name.toLowerCase())
  },
  jsonKeysExact: ({ json }, keys) => {
    expect(Object.keys(json).sort()).toEqual([...keys].sort())
  },
  jsonMatches: ({ json }, patterns) => {
    for (const [field, pattern] of Object.entries(patterns)) expect(json[field]).toMatch(PATTERNS[pattern])
  },
  setCookie: (answer, { name, value, ...attributes }) => {
    const { value: actual, ...actualAttributes } = sessionCookieOf(answer)!
    expect(name).toBe('sessionId')
    expect(actual).toMatch(PATTERNS[value as 'uuid-v4'])
    const asText = Object.entries(attributes).map(([key, wanted]) => [
      key,
      wanted === true ? true : String(wanted),
    ])
    expect(actualAttributes).toEqual(Object.fromEntries(asText))
  },
  notSetCookie: ({ setCookies }) => expect(setCookies).toEqual([]),
  locationNotContains: (answer, parts, service) => {
    for (const url of addressesOf(answer, service)) for (const part of parts) expect(url).not.toContain(part)
  },
}

/** Holds an answer against everything that its case expects; throws for an expectation that the runner does not know. */
export function expectAnswer(answer: TestResponse, expected: Expectations, service: Service): void {
  for (const [name, value] of Object.entries(expected)) {
    const check = CHECKS[name as keyof Expectations] as Check<unknown> | undefined
    if (!check) throw new Error(`The runner does not know the expectation ${name}`)
    check(answer, value, service)
  }
}

/** The one form of every refusal, also of those that no case looks into (RFC 9457 with our `code` and `requestId`). */
export function expectProblemIfRefused({ status, headers, json }: TestResponse): void {
  if (status < 400) return
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  const text = expect.any(String)
  expect(json).toMatchObject({ type: text, title: text, status, detail: text, code: text, requestId: text })
}

/** Everywhere the answer, or a checkout that was ever hosted, sends a browser. */
function addressesOf({ headers, json }: TestResponse, { sandbox }: Service): string[] {
  const hosted = sandbox.checkouts().flatMap(checkout => [checkout.success_url, checkout.cancel_url])
  return [headers.location, json?.checkoutUrl, ...hosted].filter(url => typeof url === 'string')
}

/** A header's list as a set: names of headers have no case. */
function listed(header: string | undefined): string[] {
  return (header ?? '')
    .split(',')
    .map(item => item.trim().toLowerCase())
    .sort()
}
