import { expect, it } from '@jest/globals'
import { type Database, handleOf, newSessionId, PastSessions, type SessionTerms } from '../../sources.js'
import { TestClock } from '../../support/test-clock.js'

it('a flood of made-up identifiers asks the database four things at once, and is refused without a reason', async () => {
  let answerAll = (_: object) => {}
  const answer = new Promise<object>(resolve => {
    answerAll = resolve
  })
  let asked = 0
  const run = () => {
    asked++
    return answer
  }
  const past = new PastSessions({ run } as unknown as Database, new TestClock(), {} as SessionTerms)
  const lookUps = Array.from({ length: 100 }, () => past.find(handleOf(newSessionId())))
  expect(await Promise.all(lookUps.slice(4))).toEqual(Array.from({ length: 96 }, () => null))
  expect(asked).toBe(4)
  answerAll([{ session: { endedAt: new Date() } }])
  expect(await Promise.all(lookUps)).toContainEqual(expect.objectContaining({ outcome: 'revoked' }))
  await past.find(handleOf(newSessionId()))
  expect(asked).toBe(5)
})
