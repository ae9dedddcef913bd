import { describe, expect, it } from '@jest/globals'
import { authMethods, inQuestionSince } from '../../sources.js'

const BEGAN = new Date('2026-01-01T00:00:00Z')
const PROVED = new Date('2026-01-20T00:00:00Z')

describe('What was done in a session is in question', () => {
  it('since its second factor was used', () => {
    const session = { createdAt: BEGAN, amr: authMethods('pwd', 'otp'), authTime: PROVED }
    expect(inQuestionSince(session)).toEqual(PROVED)
  })

  it.each([
    ['none was used', authMethods('pwd'), PROVED],
    ['its authentication has been voided', authMethods('pwd', 'otp'), new Date(0)],
  ])('since it began, if %s', (_, amr, authTime) => {
    expect(inQuestionSince({ createdAt: BEGAN, amr, authTime })).toEqual(BEGAN)
  })
})
