import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import { IsIn, IsOptional } from 'class-validator'
import { type DeviceId, IsDeviceId } from '../../anomalies/known-devices.js'
import { BODY_REFUSALS, Documented } from '../../platform/http/endpoint.js'
import { SOURCES, type Source } from '../../platform/permissions.js'
import { type Email, IsEmailAddress } from '../../users/email.js'
import { IsPassword, MAX_PASSWORD_LENGTH } from '../../users/passwords/password-text.js'

export class LoginBody {
  @ApiProperty({ type: String, format: 'email', maxLength: 254, example: 'owner@example.com' })
  @IsEmailAddress()
  email!: Email

  @ApiProperty({
    type: String,
    minLength: 1,
    maxLength: MAX_PASSWORD_LENGTH,
    example: 'correct horse battery staple',
  })
  @IsPassword()
  password!: string

  @ApiProperty({
    enum: SOURCES,
    description: 'The kind of site that logs in: it bounds what the session may do',
  })
  @IsIn(SOURCES)
  source!: Source

  @IsDeviceId({
    example: 'k2Yb0Ue8vWq3mJx7c1FZr5TnLh9PsDaG4oEiRw6XtCM',
    description:
      'Satellites and mobile apps: the device id of an earlier login, null when there is none yet. The main site has a cookie instead',
  })
  deviceId?: DeviceId | null
}

export class LoginAnswer {
  @ApiProperty({ type: String, description: 'JWT, valid for 15 minutes by default' })
  accessToken!: string

  @ApiPropertyOptional({ type: String, format: 'uuid', description: 'Satellites and mobile apps only' })
  sessionId?: string

  @ApiPropertyOptional({
    type: String,
    description:
      'For a client that sent null or an unknown id as `deviceId`: the id to keep and send from now on',
  })
  deviceId?: string
}

export const LOGOUT_SCOPES = ['browser', 'here'] as const
/** `here`: this site only. `browser`: also the sites that its session was handed off to. */
export type LogoutScope = (typeof LOGOUT_SCOPES)[number]

export class LogoutQuery {
  @ApiPropertyOptional({
    enum: LOGOUT_SCOPES,
    default: 'browser',
    description:
      'On the main site: whether the satellite sessions that were handed off from this one end too, or only this one (`here`)',
  })
  @IsIn(LOGOUT_SCOPES)
  @IsOptional()
  scope: LogoutScope = 'browser'
}

export const LoginDocs = () =>
  Documented({
    summary: 'Log in with e-mail and password',
    description:
      'With source `main` the session is set as the cookie `sessionId` (HttpOnly, Secure, SameSite=Lax); only ' +
      'pages of the main site, and clients without an Origin, may request it. With source `satellite` it comes in the body. ' +
      'A device id (main site: the cookie `__Host-device`; elsewhere `deviceId` in the body) distinguishes devices ' +
      'of the same kind, so that the user is mailed about a login with another one. Where the password is right but a second ' +
      'factor is required, the 401 has `challenge` and `methods` for `POST /api/login/second-factor`.',
    status: 200,
    answer: 'Logged in',
    type: LoginAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'INVALID_CREDENTIALS',
      'SECOND_FACTOR_REQUIRED',
      'OWNER_LOGIN_BARRED',
      'HANDOFF_REQUIRED',
      'TOO_MANY_ATTEMPTS',
      'MAIN_ORIGIN_REQUIRED',
      'CROSS_SITE_REFUSED',
      'TOO_BUSY',
      'DATABASE_UNAVAILABLE',
      'SESSION_STORE_UNAVAILABLE',
    ],
  })

export const LogoutDocs = () =>
  Documented({
    summary: 'Log out',
    description:
      'Ends the session of the access token, which can no longer be refreshed. The token itself stays valid until it expires. ' +
      'On the main site the satellite sessions that were handed off from it end too, unless `scope` is `here`.',
    status: 204,
    answer: 'Logged out; on the main site the cookie is cleared, unless it meanwhile names another session',
    refusals: ['INVALID_QUERY', 'DATABASE_UNAVAILABLE', 'SESSION_STORE_UNAVAILABLE'],
  })
