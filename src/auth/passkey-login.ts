import { Body, Controller, Get, Injectable, Post, Req, Res } from '@nestjs/common'
import { ApiOperation, ApiProperty, ApiTags, PickType } from '@nestjs/swagger'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FactorResets } from '../factors/factor-resets.js'
import { type CheckedAssertion, PasskeyAssertions } from '../factors/passkey-assertions.js'
import { PasskeySites } from '../factors/passkeys.js'
import { CHALLENGE_SECONDS, PasskeyChallenges, PasskeyResponse } from '../factors/webauthn.js'
import { NO_MAILS } from '../mail/mail.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import { ApiError } from '../platform/errors/api-error.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { ListOf, OneOf, Text, Whole } from '../platform/http/fields.js'
import type { Client } from '../platform/http/request.js'
import { Public } from '../tokens/jwt.guard.js'
import type { EntitledUser, User } from '../users/user.js'
import { Users } from '../users/users.js'
import { answerTo, LoginAnswer, LoginBody, loginContextOf } from './login.controller.js'
import { type LoggedIn, type LoginBasis, LoginSessions } from './login.js'
import { LoginLimits } from './login-limits.js'
import { type LoginContext, LoginPolicy, type LoginSite } from './login-policy.js'

class PasskeyLoginBody extends PickType(LoginBody, ['source', 'deviceId'] as const) {
  @PasskeyResponse() response!: AuthenticationResponseJSON
}

class PasskeyOptionsAnswer {
  @Text({ description: 'For one use, within 5 minutes' }) challenge!: string
  @Text({ description: 'The domain that the passkeys belong to', example: 'example.com' }) rpId!: string
  @Whole({ description: 'In milliseconds', example: 300_000 }) timeout!: number
  @OneOf(['required']) userVerification!: 'required'

  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    maxItems: 0,
    description: 'Empty: the authenticator shows which passkeys it has',
  })
  allowCredentials!: never[]
}

class RelatedOriginsAnswer {
  @ListOf(String, { example: ['https://www.brand.example'] }) origins!: readonly string[]
}

@Injectable()
export class PasskeyLogin {
  constructor(
    private readonly limits: LoginLimits,
    private readonly assertions: PasskeyAssertions,
    private readonly users: Users,
    private readonly loginPolicy: LoginPolicy,
    private readonly sessions: LoginSessions,
    private readonly resets: FactorResets,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Opens a session for a passkey that has signed one of our challenges. Throws `PASSKEY_INVALID` for anything
   * wrong, also when the login is too unusual or its user may not log in there, and `TOO_MANY_ATTEMPTS` before
   * any work.
   */
  async login(response: AuthenticationResponseJSON, context: LoginContext): Promise<LoggedIn> {
    const { source, client } = context
    const counted = await this.limits.countPasskey(response.id, client)
    try {
      const assertion = await this.check(response, client)
      const user = await this.requireAllowed(assertion.userId, client, { source, origin: client.origin })
      const basis = this.basisOf(assertion, user, client)
      const proof = { methods: assertion.methods }
      const loggedIn = await this.sessions.openSession(user, proof, context, basis)
      await counted.succeeded()
      return loggedIn
    } catch (error) {
      await counted.threw(error)
      throw isUnusual(error) ? new ApiError('PASSKEY_INVALID') : error
    }
  }

  private async check(response: AuthenticationResponseJSON, client: Client): Promise<CheckedAssertion> {
    try {
      return await this.assertions.check(response, { client })
    } catch (error) {
      if (error instanceof ApiError && error.code === 'PASSKEY_INVALID') this.noteFailure(client, 'passkey')
      throw error
    }
  }

  private async requireAllowed(userId: string, client: Client, site: LoginSite): Promise<EntitledUser> {
    const user = await this.users.find(userId)
    const reason = user === null ? 'unknown user' : this.reasonToRefuse(user, site)
    if (user && reason === null) return user
    this.noteFailure(client, reason ?? '', user)
    throw new ApiError('PASSKEY_INVALID')
  }

  private reasonToRefuse(user: User, site: LoginSite): string | null {
    if (user.disabledAt) return 'disabled'
    if (this.loginPolicy.isBarredOwner(user, site)) return 'owner on a satellite'
    return this.loginPolicy.isInScope(user, site) ? null : 'not invited to this site'
  }

  private noteFailure(client: Client, reason: string, user: User | null = null): void {
    const actor = { ...(user && { userId: user.id, accountId: user.accountId }), client }
    this.auditLog.enqueue(auditEvent(actor, 'login', { reason }), 'failed')
  }

  /**
   * The passkey still exists, its challenge is used up, and a pending reset of factors is cancelled. A request that
   * removes the passkey waits, and then finds the session.
   */
  private basisOf(assertion: CheckedAssertion, user: User, client: Client): LoginBasis {
    return {
      detail: { passkeyId: assertion.passkey.id },
      use: async transaction => {
        await this.assertions.use(transaction, assertion, client)
        await this.resets.cancelByUse(transaction, user, { userId: user.id, client })
        return NO_MAILS
      },
    }
  }
}

function isUnusual(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'INVALID_CREDENTIALS'
}

@ApiTags('Auth')
@Controller('api/login/passkey')
export class PasskeyLoginController {
  constructor(
    private readonly passkeyLogin: PasskeyLogin,
    private readonly challenges: PasskeyChallenges,
    private readonly sites: PasskeySites,
    private readonly settings: Settings,
  ) {}

  /** Public: it says nothing about any user, and stores nothing. */
  @Public()
  @Post('options')
  @ApiOperation({
    summary: 'Get the options for navigator.credentials.get()',
    description:
      'PublicKeyCredentialRequestOptionsJSON, to log in, as a second factor, or to re-authenticate. The same for every caller; nothing is stored.',
  })
  @Answers(200, 'The options', PasskeyOptionsAnswer)
  options(): PasskeyOptionsAnswer {
    return {
      challenge: this.challenges.issue({ for: 'assertion' }),
      rpId: this.sites.rpId,
      timeout: CHALLENGE_SECONDS * 1000,
      userVerification: 'required',
      allowCredentials: [],
    }
  }

  /** Public: its signature is the proof. */
  @Public()
  @Post()
  @ApiOperation({
    summary: 'Log in with a passkey',
    description:
      'A passkey that verified its user counts as two factors. Otherwise like `POST /api/login`. Satellites may do so where PASSKEY_RELATED_ORIGINS lists them. ' +
      'Any fault is refused with `PASSKEY_INVALID`: the challenge, the page, the signature, or a user who may not log in there.',
  })
  @Answers(200, 'Logged in', LoginAnswer)
  @Refuses('PASSKEY_INVALID', 'MAIN_ORIGIN_REQUIRED', 'CROSS_SITE_REFUSED', 'TOO_BUSY')
  async login(
    @Body() body: PasskeyLoginBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const context = loginContextOf(body, request, this.settings)
    const loggedIn = await this.passkeyLogin.login(body.response, context)
    return answerTo(body, loggedIn, reply, this.settings)
  }
}

@ApiTags('Auth')
@Controller('.well-known')
export class RelatedOriginsController {
  constructor(private readonly sites: PasskeySites) {}

  /** Public: browsers ask without credentials. */
  @Public()
  @Get('webauthn')
  @ApiOperation({
    summary: 'Other origins where the same passkeys work',
    description:
      'For browsers (WebAuthn Level 3 §5.11), at the domain that the passkeys belong to. Only if PASSKEY_RELATED_ORIGINS is set.',
  })
  @Answers(200, 'The origins', RelatedOriginsAnswer)
  @Refuses('NOT_FOUND')
  list() {
    const { relatedOrigins: origins } = this.sites
    if (origins.length === 0) throw new ApiError('NOT_FOUND')
    return { origins }
  }
}
