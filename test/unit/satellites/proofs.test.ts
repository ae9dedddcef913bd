import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import {
  faultOf,
  fetchProofFile,
  hasToken,
  lookUpTxt,
  lookupFault,
  newProofToken,
  proofChallenge,
  resolverOf,
} from '../../sources.js'
import { DnsServer } from '../../support/dns-server.js'
import { eventually } from '../../support/eventually.js'

const NAME = '_mainstay-challenge.shop.example.net'
let dns: DnsServer

beforeAll(async () => {
  dns = await DnsServer.start()
})
afterEach(() => {
  dns.zones.clear()
  dns.failure = 'none'
})
afterAll(() => dns.stop())

test('a challenge names the record and the file of an origin, and the record of a preview pattern', () => {
  const token = newProofToken()
  const value = `token=${token} expiry=never`
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(proofChallenge('https://shop.example.net', token)).toEqual({
    dns: { name: NAME, value },
    file: { url: 'https://shop.example.net/.well-known/mainstay-challenge.txt', content: value },
  })
  expect(proofChallenge('https://*.preview.example.net', token)).toEqual({
    dns: { name: '_mainstay-challenge.preview.example.net', value },
    file: null,
  })
})

test.each([
  [['token=abc expiry=never'], true],
  [['other=1', 'token=abc expiry=2027-01-01'], true],
  [['token=abc'], true],
  [['token=abcd'], false],
  [['xtoken=abc'], false],
  [['token = abc'], false],
  [['TOKEN=abc'], false],
  [[], false],
])('%j has the token abc: %s', (texts, has) => {
  expect(hasToken(texts, 'abc')).toBe(has)
})

describe('TXT records', () => {
  const lookUp = () => lookUpTxt(resolverOf([dns.address]), NAME)

  const token = newProofToken()
  test.each<[string, string[]]>([
    ['two words of a zone file', [`token=${token}`, 'expiry=never']],
    ['words in another order', ['expiry=never', `token=${token}`]],
    ['a string of its own among others', ['v=spf1 -all', `token=${token} expiry=never`]],
    [
      'a string that is cut within the token',
      [`token=${token.slice(0, 9)}`, `${token.slice(9)} expiry=never`],
    ],
    ['quotes', [`"token=${token} expiry=never"`]],
    ['quotes around each word', [`"token=${token}" "expiry=never"`]],
    ['quotes across two strings', [`"token=${token}`, 'expiry=never"']],
    ['escaped quotes', [`\\"token=${token}\\"`]],
    ['a non-breaking space', [`token=${token}\u00a0expiry=never`]],
    ['a non-breaking space between two strings', [`token=${token}\u00a0`, 'expiry=never']],
  ])('prove with %s (W7)', async (_, strings) => {
    dns.zones.set(NAME, { txt: ['other', strings] })
    expect(hasToken((await lookUp()).texts, token)).toBe(true)
    expect(hasToken((await lookUp()).texts, newProofToken())).toBe(false)
  })

  test('are read as UTF-8 (W7)', async () => {
    dns.zones.set(NAME, { txt: ['Grüße\u00a0日本', ['Stra', 'ße']] })
    expect((await lookUp()).texts).toEqual(['Grüße\u00a0日本', 'Straße'])
  })

  test('all of them, long ones in one piece', async () => {
    dns.zones.set(NAME, { txt: ['v=spf1 -all', ['token=', 'abc', ' expiry=never']] })
    expect(await lookUp()).toEqual({
      question: `TXT ${NAME}`,
      texts: ['v=spf1 -all', 'token=abc expiry=never'],
      fault: null,
      isOutage: false,
    })
  })

  test.each([
    ['no such name', () => {}, 'PROOF_NO_NAME', false],
    ['a name without one', () => dns.zones.set(NAME, { a: ['192.0.2.1'] }), 'PROOF_NO_RECORD', false],
    [
      'a server that fails',
      () => {
        dns.failure = 'servfail'
      },
      'PROOF_SERVFAIL',
      true,
    ],
  ] as const)('%s is a fault', async (_, prepare, code, isOutage) => {
    prepare()
    expect(await lookUp()).toEqual({ question: `TXT ${NAME}`, texts: [], fault: faultOf(code), isOutage })
  })

  test('a server that is not there is an outage', async () => {
    dns.failure = 'silence'
    expect(await lookUpTxt(resolverOf([dns.address]), NAME, 10)).toMatchObject({
      fault: faultOf('PROOF_DNS_TIMEOUT'),
      isOutage: true,
    })
    dns.failure = 'none'
    const gone = await DnsServer.start()
    const { address } = gone
    await gone.stop()
    expect(await lookUpTxt(resolverOf([address]), NAME)).toMatchObject({ texts: [], isOutage: true })
  })
})

describe('files', () => {
  let server: Server
  let answer: RequestListener = (_, response) => response.end()
  const requests: string[] = []

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(`${request.method} ${request.headers.host}${request.url}`)
      answer(request, response)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const urlOf = (host = 'shop.example.net') =>
    `http://${host}:${(server.address() as AddressInfo).port}/.well-known/mainstay-challenge.txt`
  const fetchFile = (mayBePrivate = true, url = urlOf()) =>
    fetchProofFile(url, { resolver: resolverOf([dns.address]), mayBePrivate })

  test('101 Switching Protocols is answered like any other status', async () => {
    dns.zones.set('shop.example.net', { a: ['127.0.0.1'] })
    const raw = createTcpServer(socket => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
    }).listen(0, '127.0.0.1')
    await once(raw, 'listening')
    const { port } = raw.address() as AddressInfo
    try {
      const url = `http://shop.example.net:${port}/.well-known/mainstay-challenge.txt`
      expect(await fetchFile(true, url)).toMatchObject({ fault: faultOf('PROOF_STATUS', { status: 101 }) })
    } finally {
      raw.close()
    }
  }, 15_000)

  test('the content, by the name servers that records are looked up at', async () => {
    dns.zones.set('shop.example.net', { a: ['127.0.0.1'] })
    answer = (_, response) => response.end(' token=abc expiry=never\n')
    expect(await fetchFile()).toEqual({
      question: urlOf(),
      texts: ['token=abc expiry=never'],
      fault: null,
      isOutage: false,
    })
    expect(requests.at(-1)).toMatch(/^GET shop\.example\.net:\d+\/\.well-known\/mainstay-challenge\.txt$/)
  })

  test('at localhost, which no name server has to know, outside production', async () => {
    answer = (_, response) => response.end('token=abc expiry=never')
    const url = urlOf('localhost')
    expect(await fetchFile(true, url)).toMatchObject({ texts: ['token=abc expiry=never'], fault: null })
    expect(await fetchFile(false, url)).toMatchObject({ texts: [] })
  })

  const asked = () => requests.length
  test.each([
    ['a', ['127.0.0.1', '10.0.0.8', '192.168.1.1', '172.16.0.1']],
    ['a', ['169.254.169.254', '100.64.0.1', '0.0.0.0']],
    ['aaaa', ['::1', '::', '::ffff:127.0.0.1', '::ffff:a00:8', '::7f00:1']],
    ['aaaa', ['fe80::1', 'fc00::1', 'fd12:3456::1', 'fec0::1', 'ff02::1', '4000::1']],
    ['aaaa', ['64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::', '2001::1', '2001:db8::1']],
  ] as const)(
    'a name whose %s record is one of %j is refused without a connection',
    async (type, addresses) => {
      const before = asked()
      for (const address of addresses) {
        dns.zones.set('shop.example.net', { [type]: [address] })
        const refusal = { texts: [], fault: faultOf('PROOF_NO_ADDRESS'), isOutage: false }
        expect({ address, ...(await fetchFile(false)) }).toMatchObject({ address, ...refusal })
      }
      expect(asked()).toBe(before)
    },
  )

  test('the name is looked up once, so what was checked is what is connected to', async () => {
    dns.zones.set('shop.example.net', { a: ['127.0.0.1'] })
    answer = (_, response) => response.end('token=abc')
    const before = dns.questions.length
    expect(await fetchFile()).toMatchObject({ texts: ['token=abc'] })
    expect(dns.questions.slice(before).sort()).toEqual(['A shop.example.net', 'AAAA shop.example.net'])
  })

  test('a public address among private ones does not help', async () => {
    dns.zones.set('shop.example.net', { a: ['203.0.113.7', '127.0.0.1'] })
    expect(await fetchFile(false)).toMatchObject({ fault: faultOf('PROOF_NO_ADDRESS') })
    dns.zones.set('shop.example.net', { a: ['8.8.8.8'], aaaa: ['::1'] })
    expect(await fetchFile(false)).toMatchObject({ fault: faultOf('PROOF_NO_ADDRESS') })
  })

  test.each([
    ['a redirect', 302, { Location: 'http://127.0.0.1/' }, '', 'a redirect (302)'],
    ['no such file', 404, {}, 'token=abc', 'status 404'],
    ['a server that fails', 500, {}, '', 'status 500'],
    ['more than a KiB', 200, {}, 'x'.repeat(1_025), 'more than 1 KiB'],
  ])('%s is a fault, and no outage', async (_, status, headers, body, fault) => {
    dns.zones.set('shop.example.net', { a: ['127.0.0.1'] })
    answer = (_request, response) => response.writeHead(status, headers).end(body)
    const before = asked()
    expect(await fetchFile()).toMatchObject({ texts: [], fault: { message: fault }, isOutage: false })
    expect(asked()).toBe(before + 1)
  })

  test('a server that sends without end is cut off', async () => {
    dns.zones.set('shop.example.net', { a: ['127.0.0.1'] })
    let isClosed = false
    answer = (_, response) => {
      const timer = setInterval(() => response.write('x'.repeat(200)), 1)
      response.on('close', () => {
        isClosed = true
        clearInterval(timer)
      })
    }
    expect(await fetchFile()).toMatchObject({ fault: faultOf('PROOF_TOO_LONG') })
    await eventually(() => isClosed, { what: 'the connection to be closed' })
  })

  test('a name without an address is a fault in words', async () => {
    expect(await fetchFile()).toMatchObject({ fault: faultOf('PROOF_NO_ADDRESS') })
  })
})

test('what was found in words: short, quoted, and not everything', () => {
  const texts = ['a"b\nc', 'x'.repeat(300), '3', '4', '5', '6', '7']
  const question = `TXT ${NAME}`
  const found = `"a\\"b\\nc", "${'x'.repeat(100)}", "3", "4", "5", …`
  expect(lookupFault({ question, texts, fault: null, isOutage: false })).toEqual({
    field: 'proof',
    code: 'PROOF_OTHER_TEXTS',
    values: { question, texts: found },
    message: `${question}: found ${found}, not the token`,
  })
})
