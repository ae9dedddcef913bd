import { describe, expect, it } from '@jest/globals'
import { AUDIT_ACTIONS } from '../../../src/audit/audit-event.js'
import { wordsFor } from '../../../web/main/pages/account/audit/audit-words.js'

describe('pages 8: the audit log in words', () => {
  it.each(AUDIT_ACTIONS)('has words for %s', action => {
    expect(wordsFor(action)).not.toBeNull()
  })

  it.each([
    ...['requested', 'accepted', 'cancelled', 'done'].map(step => ['account.transfer', step] as const),
    ...['asked', 'stopped'].map(step => ['factors.reset', step] as const),
    ['second-factor.policy', 'enforced'] as const,
  ])('has words of its own for %s when it is %s', (action, step) => {
    expect(wordsFor(action, step)?.did).not.toBe(wordsFor(action)?.did)
  })
})
