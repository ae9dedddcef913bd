import { expect, test } from '@jest/globals'
import { hostUrls } from '../../sources.js'

test.each([
  [
    'postgres://user:p%40ss@one:5432/mainstay?sslmode=require',
    ['postgres://user:p%40ss@one:5432/mainstay?sslmode=require'],
  ],
  ['postgres://one,two/mainstay', ['postgres://one/mainstay', 'postgres://two/mainstay']],
  [
    'postgresql://user:a,b@one:1,[::1]:2/mainstay?target_session_attrs=read-write',
    [
      'postgresql://user:a,b@one:1/mainstay?target_session_attrs=read-write',
      'postgresql://user:a,b@[::1]:2/mainstay?target_session_attrs=read-write',
    ],
  ],
])('fleet 12: the hosts of %s', (url, expected) => {
  expect(hostUrls(url)).toEqual(expected)
})
