import { isIP } from 'node:net'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { getPublicSuffix } from 'tldts'
import { originFault, previewPatternFault, proofHostOf } from '../../sources.js'

const RULES = { ownHosts: ['example.com'], isLenient: false }
const LENIENT = { ownHosts: ['localhost'], isLenient: true }

test.each([
  'https://shop.example.net',
  'https://example.org',
  'https://a.b.c.d.example.co.uk',
  'https://customer.github.io',
  'https://xn--bcher-kva.example.net',
  'https://shop-example.com',
  'https://example.com.evil.net',
])('%s may be a satellite', origin => {
  expect(originFault(origin, RULES)).toBeNull()
})

test.each([
  ['', 'not an origin'],
  ['null', 'not an origin'],
  ['shop.example.net', 'not an origin'],
  ['//shop.example.net', 'not an origin'],
  ['https://', 'not an origin'],
  ['https://shop.example.net/', 'as https://shop.example.net'],
  ['https://shop.example.net/path', 'as https://shop.example.net'],
  ['https://shop.example.net?', 'as https://shop.example.net'],
  ['https://shop.example.net#', 'as https://shop.example.net'],
  ['https://Shop.Example.net', 'as https://shop.example.net'],
  ['HTTPS://shop.example.net', 'as https://shop.example.net'],
  ['https://shop.example.net:443', 'as https://shop.example.net'],
  ['https://user@shop.example.net', 'as https://shop.example.net'],
  ['https://bücher.example', 'as https://xn--bcher-kva.example'],
  [' https://shop.example.net', 'as https://shop.example.net'],
  ['https://shop.example.net\n', 'as https://shop.example.net'],
  ['https:\\\\shop.example.net', 'as https://shop.example.net'],
  ['https://0x7f.1', 'as https://127.0.0.1'],
  ['https://2130706433', 'as https://127.0.0.1'],
  ['ftp://shop.example.net', 'begins with https'],
  ['chrome-extension://abcdefgh', 'begins with https'],
  ['javascript:alert(1)', 'begins with https'],
  ['http://shop.example.net', 'must use https'],
  ['http://localhost', 'must use https'],
  ['https://shop.example.net:8443', 'port 443'],
  ['https://192.0.2.7', 'IP address'],
  ['https://[2001:db8::1]', 'IP address'],
  // Looking for their proof would tell strangers which names there are (S9).
  ['https://localhost', 'not a name of the public internet'],
  ['https://intranet', 'not a name of the public internet'],
  ['https://intern.corp.internal', 'not a name of the public internet'],
  ['https://printer.local', 'not a name of the public internet'],
  ['https://a.onion', 'not a name of the public internet'],
  ['https://com', 'shared by everybody'],
  ['https://co.uk', 'shared by everybody'],
  ['https://github.io', 'shared by everybody'],
  ['https://vercel.app', 'shared by everybody'],
  ['https://s3.amazonaws.com', 'shared by everybody'],
  ['https://example.com', 'belongs to this service'],
  ['https://www.example.com', 'belongs to this service'],
  ['https://a.b.example.com', 'belongs to this service'],
  ['https://shop.example.net.', 'not the name of a host'],
  ['https://www.example.com.', 'not the name of a host'],
  ['https://*.example.net', 'asterisk'],
])('%j may not: it says "%s"', (origin, says) => {
  expect(originFault(origin, RULES)?.message).toContain(says)
})

test.each(['http://localhost:5174', 'http://shop.localhost:3002', 'https://shop.example.net:8443'])(
  '%s is fine outside production',
  origin => {
    expect(originFault(origin, { ownHosts: ['api.test'], isLenient: true })).toBeNull()
  },
)

test.each([
  ['http://shop.example.net', 'must use https'],
  ['https://127.0.0.1:3001', 'IP address'],
  ['http://localhost:3001', 'belongs to this service'],
])('%s is not, even there', (origin, says) => {
  expect(originFault(origin, LENIENT)?.message).toContain(says)
})

test.each([
  ['https://*.preview.example.net', 'preview.example.net'],
  ['https://*.example.net', 'example.net'],
  ['https://shop-*.example.net', 'example.net'],
  ['https://shop-*-team.previews.example.co.uk', 'previews.example.co.uk'],
])('%s may be a preview pattern, proven at %s', (pattern, host) => {
  expect(previewPatternFault(pattern, RULES)).toBeNull()
  expect(proofHostOf(pattern)).toBe(host)
})

test.each([
  ['https://shop.example.net', 'has one asterisk'],
  ['https://*', 'not a name of the public internet'],
  ['https://*.com', 'shared by everybody'],
  ['https://*.co.uk', 'shared by everybody'],
  ['https://*.vercel.app', 'shared by everybody'],
  ['https://*-team.vercel.app', 'shared by everybody'],
  ['https://shop.*.example.net', 'left-most label'],
  ['https://*.*.example.net', 'left-most label'],
  ['https://**.example.net', 'left-most label'],
  ['https://*.example.com', 'belongs to this service'],
  ['https://*ample.com', 'shared by everybody'],
  ['http://*.example.net', 'must use https'],
  ['https://*.example.net:8443', 'port 443'],
  ['https://*.example.net/', 'as https://x.example.net'],
  ['https://*.0.2.7', 'not an origin'],
  ['https://shop.example.net/*', 'left-most label'],
  ['https://*@shop.example.net', 'left-most label'],
  ['*', 'not an origin'],
])('%s may not: it says "%s"', (pattern, says) => {
  expect(previewPatternFault(pattern, RULES)?.message).toContain(says)
})

test('of 10,000 random texts those that pass are what browsers send, over https, on a name under a public suffix', () => {
  const label = fc.oneof(
    { weight: 5, arbitrary: fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/) },
    { weight: 1, arbitrary: fc.stringMatching(/^[a-zA-Z0-9*_%-]{1,8}$/) },
  )
  const host = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.array(label, { minLength: 1, maxLength: 4 }).map(labels => labels.join('.')),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'example.com',
        'www.example.com',
        'github.io',
        'a.github.io',
        'co.uk',
        'localhost',
        '[::1]',
      ),
    },
    { weight: 1, arbitrary: fc.ipV4() },
    { weight: 1, arbitrary: fc.ipV6().map(ip => `[${ip}]`) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  )
  const text = fc
    .tuple(
      fc.constantFrom(
        'https://',
        'http://',
        'HTTPS://',
        'https:/',
        'https:\\\\',
        '',
        'wss://',
        'https://u:p@',
      ),
      host,
      fc.constantFrom('', '', '', '', '', '', '', '', '.', ':443', ':8443', '/', '/x', '?', '#', ' ', '\t'),
    )
    .map(parts => parts.join(''))
  let passed = 0
  fc.assert(
    fc.property(text, candidate => {
      if (originFault(candidate, RULES) !== null) return
      passed += 1
      const { origin, protocol, port, hostname } = new URL(candidate)
      expect(candidate).toBe(origin)
      expect([protocol, port]).toEqual(['https:', ''])
      expect(hostname).toMatch(/^[^*:[\]]+\.[^.*]+$/)
      expect(hostname).not.toMatch(/(^|\.)example\.com$/)
      expect(isIP(hostname.replace(/^\[|\]$/g, ''))).toBe(0)
      expect(hostname).not.toBe(getPublicSuffix(hostname, { allowPrivateDomains: true }))
    }),
    { numRuns: 10_000, seed: 20_261_122 },
  )
  expect(passed).toBeGreaterThan(5)
})
