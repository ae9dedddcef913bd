import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { wordsFor } from '../../../web/pieces/audit-words.js'
import { AUDIT_ACTIONS, CONSOLE_ACTIONS } from '../../sources.js'
import { readLanguage } from '../../support/web-language.js'

const ABOUT = { whom: 'rosa@example.com', satellite: 'shop.example' }

/** No account has rows of these. */
const isOfConsole = (action: string) => (CONSOLE_ACTIONS as readonly string[]).includes(action)

describe.each(['en', 'de'])('pages 8: the audit log in words (%s)', language => {
  beforeAll(() => readLanguage(language))
  afterAll(() => readLanguage('en'))

  it('has words for every action of an account, and none for what it does not know', () => {
    const actions = AUDIT_ACTIONS.filter(action => !isOfConsole(action))
    expect(actions.filter(action => wordsFor(action, ABOUT) === null)).toEqual([])
    expect(wordsFor('toString', ABOUT)).toBeNull()
  })

  it.each([
    ...['requested', 'accepted', 'cancelled', 'done'].map(step => ['account.transfer', step] as const),
    ...['asked', 'stopped'].map(step => ['factors.reset', step] as const),
    ['second-factor.policy', 'enforced'] as const,
  ])('has words of its own for %s when it is %s', (action, step) => {
    expect(wordsFor(action, ABOUT, step)?.did).not.toBe(wordsFor(action, ABOUT)?.did)
  })
})

describe('in German, what somebody did to themselves', () => {
  beforeAll(() => readLanguage('de'))
  afterAll(() => readLanguage('en'))

  it.each([
    ['rosa@example.com', 'hat geändert, wo rosa@example.com sich anmelden darf'],
    [null, 'hat geändert, wo die eigene Anmeldung erlaubt ist'],
  ])('reads as German: %s', (whom, did) => {
    expect(wordsFor('satellites.change', { ...ABOUT, whom })?.did).toBe(did)
  })
})

describe('whom it was done to', () => {
  beforeAll(() => readLanguage('en'))

  it.each([
    ['session.revoke', 'rosa@example.com', 'ended a session of rosa@example.com'],
    ['session.revoke', null, 'ended a session of their own'],
    ['satellites.change', null, 'changed which sites they may log in at'],
    ['satellite.add', null, 'added the satellite shop.example'],
  ])('%s of %s: “%s”', (action, whom, did) => {
    expect(wordsFor(action, { ...ABOUT, whom })?.did).toBe(did)
  })
})
