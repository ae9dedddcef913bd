import { applyDecorators } from '@nestjs/common'
import { ApiCookieAuth, ApiProperty, ApiQuery, ApiResponse, ApiSecurity } from '@nestjs/swagger'
import { Documented } from '../../platform/http/endpoint.js'

class RefreshAnswer {
  @ApiProperty({
    type: String,
    description: 'JWT, valid for 15 minutes by default; replaces the previous one',
  })
  accessToken!: string
}

export const RefreshDocs = () =>
  applyDecorators(
    ApiCookieAuth('sessionCookie'),
    ApiSecurity('sessionId'),
    ApiQuery({
      name: 'optional',
      required: false,
      enum: ['true'],
      description:
        'A request that names no session is answered 204 instead of 401: browsers log every 401 as an error.',
    }),
    ApiResponse({ status: 204, description: 'With `optional=true`: the request names no session' }),
    Documented({
      summary: 'Get a new access token',
      description:
        'Takes the cookie `sessionId` (main site) or the header `X-Session-ID` (everybody else), never both. Of several cookies, as a browser may have after a change of COOKIE_DOMAIN, the only live session is taken, and the others are cleared. No body. The 401 for a session that is over has the member `reason` where it is known: `revoked` (it was ended before its time: a logout, a new password, a manager) or `expired`.',
      status: 200,
      answer: 'A new access token',
      type: RefreshAnswer,
      refusals: ['SESSION_NOT_FOUND', 'CROSS_SITE_REFUSED', 'TOO_MANY_ATTEMPTS', 'SESSION_STORE_UNAVAILABLE'],
    }),
  )
