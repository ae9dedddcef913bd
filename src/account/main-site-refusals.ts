import { applyDecorators } from '@nestjs/common'
import { ApiCookieAuth } from '@nestjs/swagger'
import type { ErrorCode } from '../errors/error-codes.js'
import { type Documentation, Documented, TOKEN_REFUSALS } from '../http/documented.js'

/** Refusals of every route that only the main site may call. */
export const MAIN_SITE_REFUSALS: readonly ErrorCode[] = [
  ...TOKEN_REFUSALS,
  'SESSION_NOT_FOUND',
  'CROSS_SITE_REFUSED',
  'SESSION_COOKIE_REQUIRED',
  'MAIN_SOURCE_REQUIRED',
  'SESSION_MISMATCH',
  'DATABASE_UNAVAILABLE',
  'SESSION_STORE_UNAVAILABLE',
]

/** Like {@link Documented}, with those refusals and the cookie. */
export function documentedOnMainSite(documentation: Documentation): MethodDecorator {
  const refusals = [...documentation.refusals, ...MAIN_SITE_REFUSALS]
  return applyDecorators(ApiCookieAuth('sessionCookie'), Documented({ ...documentation, refusals }))
}
