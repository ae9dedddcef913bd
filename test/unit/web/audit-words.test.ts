import { describe, expect, it } from '@jest/globals'
import { AUDIT_ACTIONS } from '../../../src/audit/audit-event.js'
import { wordsFor } from '../../../web/main/pages/account/audit/audit-words.js'

describe('pages 8: the audit log in words', () => {
  it.each(AUDIT_ACTIONS)('has words for %s', action => {
    expect(wordsFor(action)).not.toBeNull()
  })

  it.each(['requested', 'accepted', 'cancelled', 'done'])('has words of its own for a transfer %s', step => {
    expect(wordsFor('account.transfer', step)?.did).not.toBe(wordsFor('account.transfer')?.did)
  })
})
