import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { HourlyLog } from '../../sources.js'
import { TestClock } from '../../support/test-clock.js'

// The hour is over when the next one begins, to the millisecond.
beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

it('billing 10: each kind of line is written once an hour, with how often it happened', () => {
  const clock = new TestClock()
  const log = new HourlyLog(clock)
  const written: string[] = []
  const report = (kind: string, times: number) =>
    log.report(kind, times, count => written.push(`${kind} ${count}`))
  report('a', 1)
  report('a', 2)
  report('b', 5)
  clock.advance(59 * 60)
  report('a', 3)
  expect(written).toEqual(['a 1', 'b 5'])
  clock.advance(60)
  report('a', 4)
  report('a', 1)
  expect(written).toEqual(['a 1', 'b 5', 'a 9'])
  clock.advance(60 * 60)
  report('b', 1)
  report('a', 1)
  expect(written).toEqual(['a 1', 'b 5', 'a 9', 'b 1', 'a 2'])
})
