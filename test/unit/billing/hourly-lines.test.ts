import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { HourlyLines } from '../../../src/billing/provider/hourly-lines.js'
import { TestClock } from '../../support/test-clock.js'

// The hour is over when the next one begins, to the millisecond.
beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

it('billing 10: each kind of line is written once an hour, with how often it happened', () => {
  const clock = new TestClock()
  const lines = new HourlyLines(clock)
  const written: string[] = []
  const note = (kind: string, times: number) =>
    lines.note(kind, times, count => written.push(`${kind} ${count}`))
  note('a', 1)
  note('a', 2)
  note('b', 5)
  clock.advance(59 * 60)
  note('a', 3)
  expect(written).toEqual(['a 1', 'b 5'])
  clock.advance(60)
  note('a', 4)
  note('a', 1)
  expect(written).toEqual(['a 1', 'b 5', 'a 9'])
  clock.advance(60 * 60)
  note('b', 1)
  note('a', 1)
  expect(written).toEqual(['a 1', 'b 5', 'a 9', 'b 1', 'a 2'])
})
