import { beforeAll, describe, expect, it } from '@jest/globals'
import {
  ApiError,
  MAX_PASSWORD_LENGTH,
  PasswordPolicy,
  type Passwords,
  type RateLimiter,
  type Settings,
  strengthMeter,
} from '../../sources.js'
import { PASSWORD } from '../../support/people.js'
import { slow } from '../../support/tiers.js'

const policy = new PasswordPolicy(
  { mainOrigin: 'https://www.gardening.example' } as Settings,
  null as unknown as RateLimiter,
  null as unknown as Passwords,
)
const ROSA = {
  known: ['rosa.meadows@flowerpots.org', 'Rosa Meadows', 'Bellflower & Sons'],
  client: null,
  subject: '',
}

/** Null when the password may be set; the reason otherwise. */
async function refusalOf(password: string): Promise<string | null> {
  const refusal = await policy.require(password, ROSA).catch((error: unknown) => error)
  if (refusal === undefined) return null
  expect(refusal).toBeInstanceOf(ApiError)
  const { code, options } = refusal as ApiError
  expect(code).toBe('WEAK_PASSWORD')
  expect(options.errors).toHaveLength(1)
  expect(options.errors?.[0]?.field).toBe('password')
  return options.errors?.[0]?.message as string
}

describe('the policy takes', () => {
  slow.each([
    PASSWORD,
    'correct horse battery staple',
    'kx7#qLw2vT',
    'zwölf Boxkämpfer jagen',
    'пароль из четырёх слов',
    '🔑🚲🌵🥝🎻🧭🪁🦔',
    'my gardening shed is blue',
    // Weak at one end only.
    `${'password'.repeat(10)} kx7#qLw2vT!9`,
    `kx7#qLw2vT!9 ${'password'.repeat(10)}`,
  ])('%s', async password => {
    expect(await refusalOf(password)).toBeNull()
  })
})

describe('the policy refuses', () => {
  it.each([
    ['password', 'most common'],
    ['PASSWORD', 'most common'],
    ['PaSsWoRd1', 'most common'],
    ['trustno1', 'most common'],
    // Typed in full width: the same keys on another keyboard.
    ['ｐａｓｓｗｏｒｄ', 'most common'],
    ['rosameadows', 'your name'],
    ['Rosa.Meadows!1', 'your name'],
    ['flowerpots2026', 'this site'],
    ['Bellflower99', 'this site'],
    ['Mainstay2026!', 'this site'],
    ['gardening-1234', 'this site'],
    ['P@ssw0rd2024', 'make a good password'],
    ['Summer2024!', 'make a good password'],
    ['qwertzuiop', 'make a good password'],
    ['aaaaaaaaaaaaaaaa', 'make a good password'],
    ['abcdefgh', 'make a good password'],
    ['19 04 1987', 'make a good password'],
    ['        ', 'make a good password'],
    ['m41nst4y2026', 'make a good password'],
    ['password'.repeat(100), 'make a good password'],
  ])('%s', async (password, reason) => {
    expect(await refusalOf(password)).toContain(reason)
  })
})

slow('the commonest 3,000 are refused in any case', async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const commonest = dictionary['passwords-common'].slice(0, 3_000)
  expect(commonest).toHaveLength(3_000)
  const texts = commonest.flatMap(password => [password, password.toUpperCase()])
  const measured = await Promise.all(texts.map(text => strengthMeter.measure(text, [])))
  expect(texts.filter((_, index) => !measured[index]?.isCommon)).toEqual([])
})

slow('security L2: is measured beside the event loop, which goes on meanwhile', async () => {
  await strengthMeter.measure(PASSWORD, [])
  let turns = 0
  let isOver = false
  const measuring = Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      strengthMeter.measure(`${index} p4$$w0rd1!|3@p4$$w0rd1!|3@`, []),
    ),
  ).finally(() => {
    isOver = true
  })
  for (; !isOver; turns++) await new Promise(setImmediate)
  await measuring
  // On the loop itself there would be one turn, or forty.
  expect(turns).toBeGreaterThan(100)
})

describe('the longest passwords', () => {
  beforeAll(() => policy.require(PASSWORD, ROSA))

  it.each([
    '4@8({[<369&#!1|0$5+7%2'.repeat(47).slice(0, MAX_PASSWORD_LENGTH),
    'p4$$w0rd1!|3@'.repeat(79).slice(0, MAX_PASSWORD_LENGTH),
    '1qaz2wsx'.repeat(128),
    '🔑'.repeat(MAX_PASSWORD_LENGTH),
    // Each becomes eighteen characters.
    'ﷺ'.repeat(MAX_PASSWORD_LENGTH),
  ])('take no longer than their two ends: %#', async password => {
    const [ends, whole] = [[...password].slice(0, 64).join(''), password]
    const fastest = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    // In turns: what else the machine does slows both.
    for (let round = 0; round < 5; round++)
      for (const [index, text] of [ends, whole].entries()) {
        const start = performance.now()
        await refusalOf(text)
        fastest[index] = Math.min(fastest[index] as number, performance.now() - start)
      }
    expect(fastest[1]).toBeLessThan(5 * (fastest[0] as number) + 50)
  })
})
