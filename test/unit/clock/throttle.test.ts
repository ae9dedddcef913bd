import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { Throttle } from '../../sources.js'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

it('a throttle lets the first through, then none until its time is over', () => {
  const throttle = new Throttle(1_000)
  expect([throttle.take(), throttle.take()]).toEqual([true, false])
  jest.advanceTimersByTime(999)
  expect(throttle.take()).toBe(false)
  jest.advanceTimersByTime(1)
  expect([throttle.take(), throttle.take()]).toEqual([true, false])
})
