import { expect, it } from '@jest/globals'
import { AccessTokenError, ERROR_CODES } from '../../sources.js'

it.each([
  'ACCESS_TOKEN_REQUIRED',
  'INVALID_ACCESS_TOKEN',
  'PERMISSION_REQUIRED',
  'STEP_UP_REQUIRED',
] as const)('refuses with the status and title that the service has for %s', code => {
  const { status, title } = new AccessTokenError(code).problem
  expect({ status, title }).toEqual(ERROR_CODES[code])
})
