import { describe, expect, it } from '@jest/globals'
import { causeMessage, unavailable } from '../../sources.js'

const refused = new Error('connect ECONNREFUSED 127.0.0.1:5432')

describe('why something failed', () => {
  it('gives the message of an error', () => {
    expect(causeMessage(refused)).toBe('connect ECONNREFUSED 127.0.0.1:5432')
  })

  it("gives the driver's message, not the title that a client gets", () => {
    expect(causeMessage(unavailable('DATABASE_UNAVAILABLE', refused))).toBe(refused.message)
  })

  it('gives the title where there is nothing more', () => {
    expect(causeMessage(unavailable('DATABASE_UNAVAILABLE'))).toMatch(/^This is not possible right now/)
  })

  it('names the whole chain of causes, outermost first', () => {
    const failed = new Error('fetch failed', { cause: new Error('no route', { cause: refused }) })
    expect(causeMessage(failed)).toBe(`fetch failed: no route: ${refused.message}`)
  })

  it('does not repeat a cause that an outer message quotes', () => {
    const failed = new Error(`Query failed: ${refused.message} (select 1)`, { cause: refused })
    expect(causeMessage(failed)).toBe(failed.message)
  })

  it('names every address that refused, where the error has no message of its own', () => {
    const attempts = [new Error('connect ECONNREFUSED ::1:5432'), refused]
    expect(causeMessage(new AggregateError(attempts))).toBe(
      `connect ECONNREFUSED ::1:5432; ${refused.message}`,
    )
  })

  it('gives the code where there is no message', () => {
    expect(causeMessage(Object.assign(new Error(''), { code: 'ECONNRESET' }))).toBe('ECONNRESET')
  })

  it('fits on one line', () => {
    expect(causeMessage(new Error('a\n  b'))).toBe('a; b')
  })

  it('ends when the chain of causes leads back to itself', () => {
    const inner = new Error('inner')
    const outer = new Error('outer', { cause: inner })
    inner.cause = outer
    expect(causeMessage(outer)).toBe('outer: inner')
  })

  it('accepts a value that is not an Error', () => {
    expect(causeMessage('stopped')).toBe('stopped')
  })
})
