import { Body, Controller, Get, HttpCode, Injectable, Post, Req, Res } from '@nestjs/common'
import { ApiProperty, ApiTags, PickType } from '@nestjs/swagger'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FactorResets } from '../factors/factor-resets.js'
import { type CheckedAssertion, PasskeyAssertions } from '../factors/passkeys/passkey-assertions.js'
import { CHALLENGE_SECONDS, PasskeyChallenges } from '../factors/passkeys/passkey-challenges.js'
import { IsPasskeyResponse } from '../factors/passkeys/passkey-response.dto.js'
import { PasskeySites } from '../factors/passkeys/passkey-sites.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import { type Client, CurrentClient } from '../platform/http/client.js'
import { BODY_REFUSALS, Documented } from '../platform/http/documented.js'
import { Public } from '../tokens/jwt.guard.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'
import { LoginAnswer, LoginBody, LoginTransport } from './login.controller.js'
import { type LoggedIn, type LoginConfirmation, type LoginContext, LoginSessions } from './login.js'
import { LoginLimits } from './login-limits.js'
import { LoginPolicy, type LoginSite } from './login-policy.js'

export class PasskeyLoginBody extends PickType(LoginBody, ['source', 'deviceId'] as const) {
  @IsPasskeyResponse({ required: true })
  response!: AuthenticationResponseJSON
}

export class PasskeyOptionsAnswer {
  @ApiProperty({ type: String, description: 'For one use, within 5 minutes' })
  challenge!: string

  @ApiProperty({
    type: String,
    description: 'The domain that the passkeys belong to',
    example: 'example.com',
  })
  rpId!: string

  @ApiProperty({ type: 'integer', description: 'In milliseconds', example: 300_000 })
  timeout!: number

  @ApiProperty({ enum: ['required'] })
  userVerification!: 'required'

  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    maxItems: 0,
    description: 'Empty: the authenticator shows which passkeys it has',
  })
  allowCredentials!: never[]
}

class RelatedOriginsAnswer {
  @ApiProperty({ type: [String], example: ['https://www.brand.example'] })
  origins!: readonly string[]
}

export const PasskeyOptionsDocs = () =>
  Documented({
    summary: 'Get the options for navigator.credentials.get()',
    description:
      'PublicKeyCredentialRequestOptionsJSON, to log in, as a second factor, or to re-authenticate. The same for everybody; nothing is stored.',
    status: 200,
    answer: 'The options',
    type: PasskeyOptionsAnswer,
  })

export const PasskeyLoginDocs = () =>
  Documented({
    summary: 'Log in with a passkey',
    description:
      'A passkey that verified its user counts as two factors. Otherwise like `POST /api/login`. Satellites may do so where PASSKEY_RELATED_ORIGINS lists them. ' +
      'Any fault is refused with `PASSKEY_INVALID`: the challenge, the page, the signature, or a user who may not log in there.',
    status: 200,
    answer: 'Logged in',
    type: LoginAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'PASSKEY_INVALID',
      'TOO_MANY_ATTEMPTS',
      'MAIN_ORIGIN_REQUIRED',
      'CROSS_SITE_REFUSED',
      'TOO_BUSY',
      'DATABASE_UNAVAILABLE',
      'SESSION_STORE_UNAVAILABLE',
    ],
  })

export const RelatedOriginsDocs = () =>
  Documented({
    summary: 'Other origins where the same passkeys work',
    description:
      'For browsers (WebAuthn Level 3 §5.11), at the domain that the passkeys belong to. Only if PASSKEY_RELATED_ORIGINS is set.',
    status: 200,
    answer: 'The origins',
    type: RelatedOriginsAnswer,
    refusals: ['NOT_FOUND'],
  })

/** Whose passkey may log in where. */
@Injectable()
export class PasskeyUsers {
  constructor(
    private readonly users: Users,
    private readonly loginPolicy: LoginPolicy,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Throws `PASSKEY_INVALID` for a user who may not log in there; whoever presents the passkey learns no more
   * than that.
   */
  async requireAllowed(userId: string, { source, client }: LoginContext): Promise<User> {
    const user = await this.users.find(userId)
    const site = { source, origin: client.origin }
    const reason = user === null ? 'unknown user' : this.reasonToRefuse(user, site)
    if (user && reason === null) return user
    this.noteFailure(client, reason ?? '', user)
    throw new ApiError('PASSKEY_INVALID')
  }

  noteFailure(client: Client, reason: string, user: User | null = null): void {
    const actor = { ...(user && { userId: user.id, accountId: user.accountId }), client }
    this.auditLog.enqueue(auditEvent(actor, 'login', { reason }), 'failed')
  }

  private reasonToRefuse(user: User, site: LoginSite): string | null {
    if (user.disabledAt) return 'disabled'
    if (this.loginPolicy.isBarredOwner(user, site)) return 'owner on a satellite'
    return this.loginPolicy.isInScope(user, site) ? null : 'not invited to this site'
  }
}

/** Uses up a passkey's challenge when the login is recorded. */
@Injectable()
export class PasskeyConfirmation {
  constructor(
    private readonly assertions: PasskeyAssertions,
    private readonly resets: FactorResets,
    private readonly database: Database,
  ) {}

  /**
   * In one transaction, with the user locked: the passkey still exists, its challenge is used up, and a pending
   * reset of factors is cancelled. A request that removes the passkey waits, and then finds the session.
   */
  prepare(assertion: CheckedAssertion, user: User, { client }: LoginContext): LoginConfirmation {
    return {
      detail: { passkeyId: assertion.passkey.id },
      confirm: (_, record) =>
        this.database.transaction(async transaction => {
          const recorded = await record(transaction)
          await this.assertions.use(transaction, assertion, client)
          await this.resets.cancelByUse(transaction, user, { userId: user.id, client })
          return recorded
        }),
    }
  }
}

@Injectable()
export class PasskeyLoginService {
  constructor(
    private readonly limits: LoginLimits,
    private readonly assertions: PasskeyAssertions,
    private readonly passkeyUsers: PasskeyUsers,
    private readonly confirmation: PasskeyConfirmation,
    private readonly sessions: LoginSessions,
  ) {}

  /**
   * Opens a session for a passkey that has signed one of our challenges. Throws `PASSKEY_INVALID` for anything
   * wrong, also when the login is too unusual or its user may not log in there, and `TOO_MANY_ATTEMPTS` before
   * any work.
   */
  async login(response: AuthenticationResponseJSON, context: LoginContext): Promise<LoggedIn> {
    const counted = await this.limits.countPasskey(response.id, context.client)
    try {
      const assertion = await this.checked(response, context.client)
      const user = await this.passkeyUsers.requireAllowed(assertion.userId, context)
      const confirmation = this.confirmation.prepare(assertion, user, context)
      const loggedIn = await this.sessions.admit(user, { methods: assertion.methods }, context, confirmation)
      await counted.succeeded()
      return loggedIn
    } catch (error) {
      await counted.threw(error)
      throw isUnusual(error) ? new ApiError('PASSKEY_INVALID') : error
    }
  }

  private async checked(response: AuthenticationResponseJSON, client: Client) {
    try {
      return await this.assertions.check(response, { client })
    } catch (error) {
      if (error instanceof ApiError && error.code === 'PASSKEY_INVALID')
        this.passkeyUsers.noteFailure(client, 'passkey')
      throw error
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
    private readonly passkeyLogin: PasskeyLoginService,
    private readonly challenges: PasskeyChallenges,
    private readonly sites: PasskeySites,
    private readonly transport: LoginTransport,
  ) {}

  /** What a browser needs to ask for a passkey. Public: it says nothing about anybody, and stores nothing. */
  @Public()
  @Post('options')
  @HttpCode(200)
  @PasskeyOptionsDocs()
  options(): PasskeyOptionsAnswer {
    return {
      challenge: this.challenges.issue({ for: 'assertion' }),
      rpId: this.sites.rpId,
      timeout: CHALLENGE_SECONDS * 1000,
      userVerification: 'required',
      allowCredentials: [],
    }
  }

  /** Logs in with a passkey. Public: its signature is the proof. */
  @Public()
  @Post()
  @HttpCode(200)
  @PasskeyLoginDocs()
  async login(
    @Body() body: PasskeyLoginBody,
    @CurrentClient() client: Client,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const context = this.transport.contextOf(body, client, request)
    const loggedIn = await this.passkeyLogin.login(body.response, context)
    return this.transport.answer(loggedIn, body, reply)
  }
}

@ApiTags('Auth')
@Controller('.well-known')
export class RelatedOriginsController {
  constructor(private readonly sites: PasskeySites) {}

  /** Where else browsers may use the passkeys. Public: browsers ask without credentials. */
  @Public()
  @Get('webauthn')
  @RelatedOriginsDocs()
  list() {
    const { relatedOrigins: origins } = this.sites
    if (origins.length === 0) throw new ApiError('NOT_FOUND')
    return { origins }
  }
}
