import { describe, expect, it } from '@jest/globals'
import { levelOf } from '../../../web/pieces/strength.js'
import { PasswordPolicy, type Passwords, type RateLimiter, type Settings } from '../../sources.js'
import { PASSWORD } from '../../support/people.js'
import { slow } from '../../support/tiers.js'

const EMAIL = 'anna.schmidt@versicherung-nord.de'
const KNOWN = [EMAIL, 'Anna Schmidt']
const HOST = 'www.gardening.example'
const policy = new PasswordPolicy(
  { mainOrigin: `https://${HOST}` } as Settings,
  null as unknown as RateLimiter,
  null as unknown as Passwords,
)

async function isTaken(password: string): Promise<boolean> {
  const taken = policy.require(password, { known: KNOWN, client: null, subject: '' })
  return taken.then(
    () => true,
    () => false,
  )
}

describe('what the page says about a password', () => {
  slow.each([
    EMAIL,
    EMAIL.toUpperCase(),
    `${EMAIL}2026`,
    `My${EMAIL}!`,
    'Versicherung-Nord 1',
    'schmidt@versicherung-nord.de',
    'Mainstay gardening!',
    'password',
    'abcdefgh',
  ])('“%s” is weak, and the service refuses it', async password => {
    expect(levelOf(password, HOST, KNOWN)).toBeLessThan(3)
    expect(await isTaken(password)).toBe(false)
  })

  it.each([PASSWORD, 'kx7#qLw2vT', `${EMAIL} kx7#qLw2vT`, 'zwölf Boxkämpfer jagen'])(
    '“%s” is good, and the service takes it',
    async password => {
      expect(levelOf(password, HOST, KNOWN)).toBeGreaterThanOrEqual(3)
      expect(await isTaken(password)).toBe(true)
    },
  )
})
