import { describe, expect, it } from '@jest/globals'
import { distanceText } from '../../../web/pieces/distance.js'
import { initialsOf } from '../../../web/pieces/initials.js'

describe('initials', () => {
  it.each([
    ['Rosa Luna', 'RL'],
    ['Rosa María de la Luna', 'RL'],
    ['rosa@example.com', 'R'],
    ['rosa.luna@example.com', 'RL'],
    ['李雷', '李'],
    ['', ''],
  ])('of “%s” are “%s”', (name, initials) => expect(initialsOf(name)).toBe(initials))
})

describe('how long ago', () => {
  const NOW = Date.parse('2026-11-23T12:00:00Z')
  it.each([
    ['2026-11-23T11:59:30Z', 'just now'],
    ['2026-11-23T11:55:00Z', '5 minutes ago'],
    ['2026-11-23T09:00:00Z', '3 hours ago'],
    ['2026-11-22T12:00:00Z', 'yesterday'],
    ['2026-11-26T12:00:00Z', 'in 3 days'],
  ])('%s is “%s”', (at, text) => expect(distanceText(at, NOW)).toBe(text))

  it('is the date of what is more than a week away', () => {
    expect(distanceText('2026-11-01T12:00:00Z', NOW)).toMatch(/2026/)
  })
})
