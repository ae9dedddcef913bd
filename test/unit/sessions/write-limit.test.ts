import { expect, it } from '@jest/globals'
import {
  CountsAsWrite,
  ExemptFromWriteLimit,
  Public,
  type RateLimiter,
  WriteLimitGuard,
} from '../../sources.js'

class Doors {
  @Public()
  open() {}

  closed() {}

  @CountsAsWrite()
  costly() {}

  @ExemptFromWriteLimit()
  alwaysPossible() {}
}

it('a change counts as one, and a read that costs as much, unless it must always be possible', () => {
  const guard = new WriteLimitGuard({} as RateLimiter)
  const { open, closed, costly, alwaysPossible } = Doors.prototype
  const methods = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']
  const counted = (handler: object) => methods.filter(method => guard.appliesTo(handler, method))
  expect(counted(open)).toEqual([])
  expect(counted(closed)).toEqual(['POST', 'PATCH', 'DELETE'])
  expect(counted(costly)).toEqual(methods)
  expect(counted(alwaysPossible)).toEqual([])
})
