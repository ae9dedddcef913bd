import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { agoText } from '../../../web/pieces/ago.js'
import { bodyOf, PATIENCE_MS } from '../../../web/pieces/body.js'
import { isFault } from '../../../web/pieces/fault.js'
import { initialsOf } from '../../../web/pieces/initials.js'
import { money, type OfferedPlan, type Subscription, seatWords } from '../../../web/pieces/subscription.js'
import { readLanguage } from '../../support/web-language.js'

beforeAll(() => readLanguage('en'))

describe('initials', () => {
  it.each([
    ['Rosa Luna', 'RL'],
    ['Rosa María de la Luna', 'RL'],
    ['rosa@example.com', 'R'],
    ['rosa.luna@example.com', 'RL'],
    ['李雷', '李'],
    ['', ''],
  ])('of “%s” are “%s”', (name, initials) => expect(initialsOf(name)).toBe(initials))
})

describe('beside an invitation', () => {
  const plan = {
    priceId: 'price_team',
    amount: 1200,
    currency: 'usd',
    interval: 'month',
    intervalCount: 1,
    seats: true,
  } as OfferedPlan
  const subscription = (state: string, seats: number | null) =>
    ({ state, plan: 'price_team', limits: { satellites: null, seats } }) as Subscription
  const PRICE = 'Everyone who joins is billed: $12.00 a month per seat.'
  const MOST = 'Your plan is for up to 20 people, including those who are invited.'

  it.each([
    ['what a seat costs', subscription('active', null), plan, [PRICE]],
    ['also how many there may be', subscription('past_due', 20), plan, [PRICE, MOST]],
    ['only that, where no seats are billed', subscription('active', 20), { ...plan, seats: false }, [MOST]],
    ['nothing of a price that is not paid', subscription('canceled', null), plan, []],
    ['nothing without either', subscription('active', null), { ...plan, seats: false }, []],
    ['nothing of a price that depends on usage', subscription('active', null), { ...plan, amount: null }, []],
  ])('is %s (B16)', (_, of, offered, words) => {
    expect(seatWords(of, [{ ...offered, priceId: 'price_other' }, offered])).toEqual(words)
  })
})

describe('an error without an answer', () => {
  it.each([
    // As Chromium, Firefox and WebKit word a lost network.
    [new TypeError('Failed to fetch'), false],
    [new TypeError('network error'), false],
    [new TypeError('NetworkError when attempting to fetch resource.'), false],
    [new TypeError('Load failed'), false],
    [new TypeError('Die Internetverbindung ist anscheinend offline.'), false],
    [new TypeError('Failed to fetch dynamically imported module: https://a.test/is.js'), false],
    [new TypeError('Illegal invocation'), true],
    [new TypeError("Failed to execute 'create' on 'CredentialsContainer': wrong"), true],
    [new TypeError("Cannot read properties of undefined (reading 'id')"), true],
    [new TypeError("undefined is not an object (evaluating 'a.b')"), true],
    [new TypeError('can\'t access property "b", a is undefined'), true],
    [new TypeError('a.b is not a function'), true],
    [
      new TypeError("'toJSON' called on an object that does not implement interface PublicKeyCredential."),
      true,
    ],
    [new TypeError('Can only call PublicKeyCredential.toJSON on instances of PublicKeyCredential'), true],
  ])('%s is the fault of the page: %s (W2)', (error, is) => expect(isFault(error)).toBe(is))
})

describe('how long ago', () => {
  const NOW = Date.parse('2026-11-23T12:00:00Z')
  it.each([
    ['2026-11-23T11:59:30Z', 'just now'],
    ['2026-11-23T11:55:00Z', '5 minutes ago'],
    ['2026-11-23T09:00:00Z', '3 hours ago'],
    ['2026-11-22T12:00:00Z', 'yesterday'],
    // Of a service whose clock is ahead.
    ['2026-11-23T12:11:00Z', 'just now'],
  ])('%s is “%s”', (at, text) => expect(agoText(at, NOW)).toBe(text))

  it('is the date of what is more than a week past', () => {
    expect(agoText('2026-11-01T12:00:00Z', NOW)).toMatch(/2026/)
  })

  it('is said in German to who reads German', () => {
    readLanguage('de')
    expect(agoText('2026-11-23T11:59:30Z', NOW)).toBe('gerade eben')
    expect(agoText('2026-11-22T12:00:00Z', NOW)).toBe('gestern')
  })
})

describe('an amount of money', () => {
  beforeAll(() => readLanguage('en'))
  it.each([
    [2000, 'usd', '$20.00'],
    [500, 'jpy', '¥500'],
    [1500, 'kwd', 'KWD 1.500'],
    // Counted in hundredths, though a browser shows none.
    [299_000, 'huf', 'HUF 2,990'],
    [9_900_000, 'idr', 'IDR 99,000'],
    [50_000, 'isk', 'ISK 500'],
    [1_000_000, 'ugx', 'UGX 10,000'],
  ])('%d in %s is “%s”', (amount, currency, text) =>
    expect(money(amount, currency).replace(/\s/g, ' ')).toBe(text),
  )
})

describe('the body of an answer', () => {
  afterEach(() => {
    jest.useRealTimers()
  })

  it.each([
    ['of one without any', new Response(null, { status: 204 }), ''],
    ['of one with text', new Response('{"name":"Zoë"}'), '{"name":"Zoë"}'],
  ])('%s is all of it', async (_, answer, text) => expect(await (await bodyOf(answer)).text()).toBe(text))

  it('may take long, but not stall', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
    let isGivenUp = false
    const letters = [...'slow']
    const stream = new ReadableStream({
      pull: async controller => {
        if (letters.length === 0) return new Promise(() => {})
        await new Promise(resolve => setTimeout(resolve, PATIENCE_MS - 1))
        controller.enqueue(new TextEncoder().encode(letters.shift()))
      },
      cancel: () => {
        isGivenUp = true
      },
    })
    const failed = expect(bodyOf(new Response(stream))).rejects.toMatchObject({ name: 'TimeoutError' })
    for (let part = 0; part < 'slow'.length; part++) await jest.advanceTimersByTimeAsync(PATIENCE_MS - 1)
    expect([letters.length, isGivenUp]).toEqual([0, false])
    await jest.advanceTimersByTimeAsync(PATIENCE_MS)
    await failed
    expect(isGivenUp).toBe(true)
  })

  it('may stall for as long as who asks has patience, and fail when it is given up', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
    const unhandled = jest.fn()
    process.on('unhandledRejection', unhandled)
    let hasFailed = false
    const cancel = () => Promise.reject(new Error('gone'))
    const answer = new Response(new ReadableStream({ pull: () => new Promise(() => {}), cancel }))
    const failed = bodyOf(answer, 120_000).catch(({ name }: Error) => {
      hasFailed = true
      return name
    })
    await jest.advanceTimersByTimeAsync(120_000 - 1)
    expect(hasFailed).toBe(false)
    await jest.advanceTimersByTimeAsync(1)
    expect(await failed).toBe('TimeoutError')
    await new Promise(resolve => setImmediate(resolve))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})
