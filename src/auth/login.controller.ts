import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Body, Controller, Post, Query, Req, Res } from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type DeviceId,
  presentedDeviceId,
  SentDeviceId,
  setDeviceCookie,
} from '../anomalies/known-devices.js'
import { presentedRememberedDevice, setRememberedDeviceCookie } from '../factors/remembered-devices.js'
import { PasskeyResponse } from '../factors/webauthn.js'
import { Settings } from '../platform/config/settings.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Flag, Id, OneOf, Text } from '../platform/http/fields.js'
import { type Client, CurrentClient, clientOf } from '../platform/http/request.js'
import { SOURCES, type Source } from '../platform/permissions.js'
import { ExemptFromWriteLimit } from '../sessions/guards.js'
import {
  clearSessionCookie,
  presentedSessionIds,
  requireMainOrigin,
  setSessionCookie,
} from '../sessions/session-cookie.js'
import { CurrentCaller, Public } from '../tokens/jwt.guard.js'
import { type Email, EmailAddress } from '../users/email.js'
import { Password } from '../users/passwords/passwords.js'
import type { FactorProof } from './factor-check.js'
import { AppCode, IsOnlyOneOf, RecoveryCode } from './factor-fields.dto.js'
import { LOGOUT_SCOPES, type LoggedIn, LoginSessions, type LogoutScope, PasswordLogin } from './login.js'
import type { LoginContext } from './login-policy.js'
import { SecondFactorLogin } from './second-factor.js'
import { SecondFactorChallenges } from './second-factor-challenges.js'

export class LoginBody {
  @EmailAddress({ example: 'owner@example.com' }) email!: Email
  @Password({ example: 'correct horse battery staple' }) password!: string

  @OneOf(SOURCES, { description: 'The kind of site that logs in: it bounds what the session may do' })
  source!: Source

  @SentDeviceId({
    example: 'k2Yb0Ue8vWq3mJx7c1FZr5TnLh9PsDaG4oEiRw6XtCM',
    description:
      'Satellites and mobile apps: the device id of an earlier login, null when there is none yet. The main site has a cookie instead',
  })
  deviceId?: DeviceId | null
}

export class LoginAnswer {
  @Text({ description: 'JWT, valid for 15 minutes by default' }) accessToken!: string
  @Id({ optional: true, description: 'Satellites and mobile apps only' }) sessionId?: string

  @Text({
    optional: true,
    description:
      'For a client that sent null or an unknown id as `deviceId`: the id to keep and send from now on',
  })
  deviceId?: string
}

class LogoutQuery {
  @OneOf(LOGOUT_SCOPES, {
    optional: true,
    default: 'browser',
    description:
      'On the main site: whether the satellite sessions that were handed off from this one end too, or only this one (`here`)',
  })
  scope: LogoutScope = 'browser'
}

/** Ours have 43 characters; whether one is valid, only the database knows. */
const MAX_CHALLENGE_LENGTH = 100

class SecondFactorBody implements FactorProof {
  @IsOnlyOneOf('code', 'recoveryCode', 'passkey')
  @Text({ max: MAX_CHALLENGE_LENGTH, description: 'From the `SECOND_FACTOR_REQUIRED` refusal' })
  challenge!: string

  @AppCode() code?: string
  @RecoveryCode() recoveryCode?: string
  @PasskeyResponse({ optional: true }) passkey?: AuthenticationResponseJSON

  @Flag({
    optional: true,
    default: false,
    description: 'Main site: do not ask this browser for a second factor for 30 days',
  })
  rememberDevice?: boolean

  @SentDeviceId({ description: 'As at `POST /api/login`' }) deviceId?: DeviceId | null
}

/** What every login says in its body about where it comes from. */
interface RequestedLogin {
  readonly source: Source
  readonly deviceId?: DeviceId | null
}

/** Throws `MAIN_ORIGIN_REQUIRED` or `CROSS_SITE_REFUSED` when another page requests a session of the main site. */
export function loginContextOf(
  { source, deviceId }: RequestedLogin,
  request: FastifyRequest,
  settings: Settings,
): LoginContext {
  const client = clientOf(request)
  if (source === 'satellite') return { source, client, sessionIds: [], deviceId }
  requireMainOrigin(request, settings)
  return {
    source,
    client,
    sessionIds: presentedSessionIds(request),
    deviceId: presentedDeviceId(request),
    rememberedDevice: presentedRememberedDevice(request),
  }
}

/** The body of the answer; on the main site its cookies are set too. */
export function answerTo(
  { source, deviceId }: RequestedLogin,
  loggedIn: LoggedIn,
  reply: FastifyReply,
  settings: Settings,
) {
  if (source === 'satellite') return answerWithoutCookie(loggedIn, deviceId)
  setSessionCookie(reply, loggedIn.sessionId, settings)
  setDeviceCookie(reply, loggedIn.deviceId as DeviceId)
  return { accessToken: loggedIn.accessToken }
}

/**
 * The answer for clients without a cookie. The device id is in it only when it differs from the one that was
 * sent, and only for clients that know of device ids.
 */
export function answerWithoutCookie(
  { accessToken, sessionId, deviceId }: LoggedIn,
  sentDeviceId: DeviceId | null | undefined,
) {
  const isNew = deviceId !== null && deviceId !== sentDeviceId
  return { accessToken, sessionId, ...(isNew && { deviceId }) }
}

@ApiTags('Auth')
@Controller('api')
export class LoginController {
  constructor(
    private readonly passwordLogin: PasswordLogin,
    private readonly loginSessions: LoginSessions,
    private readonly settings: Settings,
  ) {}

  @Public()
  @Post('login')
  @ApiOperation({
    summary: 'Log in with e-mail and password',
    description:
      'With source `main` the session is set as the cookie `sessionId` (HttpOnly, Secure, SameSite=Lax); only ' +
      'pages of the main site, and clients without an Origin, may request it. With source `satellite` it comes in the body. ' +
      'A device id (main site: the cookie `__Host-device`; elsewhere `deviceId` in the body) distinguishes devices ' +
      'of the same kind, so that the user is mailed about a login with another one. Where the password is right but a second ' +
      'factor is required, the 401 has `challenge` and `methods` for `POST /api/login/second-factor`.',
  })
  @Answers(200, 'Logged in', LoginAnswer)
  @Refuses(
    'INVALID_CREDENTIALS',
    'SECOND_FACTOR_REQUIRED',
    'OWNER_LOGIN_BARRED',
    'HANDOFF_REQUIRED',
    'MAIN_ORIGIN_REQUIRED',
    'CROSS_SITE_REFUSED',
    'TOO_BUSY',
  )
  async login(
    @Body() body: LoginBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const context = loginContextOf(body, request, this.settings)
    return answerTo(body, await this.passwordLogin.login(body, context), reply, this.settings)
  }

  /** A cookie that meanwhile names another session stays: a logout may be repeated after the next login. */
  @Post('logout')
  @ExemptFromWriteLimit()
  @ApiOperation({
    summary: 'Log out',
    description:
      'Ends the session of the access token, which can no longer be refreshed. The token itself stays valid until it expires. ' +
      'On the main site the satellite sessions that were handed off from it end too, unless `scope` is `here`.',
  })
  @Answers(
    204,
    'Logged out; on the main site the cookie is cleared, unless it meanwhile names another session',
  )
  @Refuses('DATABASE_UNAVAILABLE')
  async logout(
    @CurrentCaller() caller: Caller,
    @CurrentClient() client: Client,
    @Query() { scope }: LogoutQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.loginSessions.end(caller, client, scope)
    clearSessionCookie(reply, caller, this.settings)
  }
}

@ApiTags('Auth')
@Controller('api/login')
export class SecondFactorController {
  constructor(
    private readonly challenges: SecondFactorChallenges,
    private readonly secondFactorLogin: SecondFactorLogin,
    private readonly settings: Settings,
  ) {}

  /** Public: the challenge and the factor are the proof. */
  @Public()
  @Post('second-factor')
  @ApiOperation({
    summary: 'Log in: the second step',
    description:
      'Completes a login that `POST /api/login` has answered with 401 `SECOND_FACTOR_REQUIRED`. That answer has the members ' +
      '`challenge`, and `methods`: what the user can use here, of `totp`, `passkey` and `recovery`. The challenge is good for ' +
      'five minutes and five tries, from the same origin; then the answer is `CHALLENGE_EXPIRED`, and the login ' +
      'begins again. Each code counts once. With `rememberDevice` the main site also gets the cookie ' +
      '`__Host-remembered-device`. Wrong codes count like wrong passwords.',
  })
  @Answers(200, 'Logged in, as by `POST /api/login`', LoginAnswer)
  @Refuses(
    'SECOND_FACTOR_INVALID',
    'PASSKEY_INVALID',
    'CHALLENGE_EXPIRED',
    'INVALID_CREDENTIALS',
    'MAIN_ORIGIN_REQUIRED',
    'CROSS_SITE_REFUSED',
    'TOO_BUSY',
  )
  async complete(
    @Body() body: SecondFactorBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const challenge = await this.challenges.take(body.challenge, clientOf(request))
    const login = { source: challenge.source, deviceId: body.deviceId }
    const context = loginContextOf(login, request, this.settings)
    const loggedIn = await this.secondFactorLogin.complete(challenge, body, context)
    const remembered =
      body.rememberDevice &&
      login.source === 'main' &&
      (await this.secondFactorLogin.rememberDevice(loggedIn, context))
    if (remembered) setRememberedDeviceCookie(reply, remembered)
    return answerTo(login, loggedIn, reply, this.settings)
  }
}
