// What was decided here, and why: docs/decisions/a-mailed-link-logs-in.md
import { Injectable } from '@nestjs/common'
import { ApiProperty } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type DeviceId, SentDeviceId } from '../anomalies/known-devices.js'
import { NO_MAILS } from '../mail/mail.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Settings } from '../platform/config/settings.js'
import { ApiError, causeMessage, type ErrorCode, isRefusal } from '../platform/errors/api-error.js'
import { Id, Text } from '../platform/http/fields.js'
import { Logger } from '../platform/log.js'
import { MailedToken, type Purpose } from '../platform/one-time-tokens.js'
import { authMethods } from '../tokens/access-tokens.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'
import { FACTOR_METHODS } from './factor-check.js'
import { answerTo, loginContextOf } from './login.controller.js'
import { type LoggedIn, LoginSessions, reasonOf } from './login.js'
import { type LoginContext, LoginPolicy } from './login-policy.js'

/** The links with which a user types the password that they are going to log in with. */
type LinkPurpose = Extract<Purpose, 'sign-up' | 'invitation' | 'password-reset'>

/** The session that such a link has opened, or the refusal of the login. */
export type LinkLogin = LoggedIn | ApiError

/** Logs users in who have followed a mailed link and typed their password with it. */
@Injectable()
export class LinkLogins {
  private readonly logger = new Logger('LinkLogins')

  constructor(
    private readonly loginPolicy: LoginPolicy,
    private readonly users: Users,
    private readonly sessions: LoginSessions,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Opens the session that a login with this password would open in the same place, or returns what that would throw,
   * such as `SECOND_FACTOR_REQUIRED` with its challenge. Does not throw refusals, nor that a store is down: the link is
   * used up, what it was for is done, and the user can log in later. To be called once that is committed. `passwordHash`
   * is of the password that was typed: whatever has replaced it since has ended the user's sessions, and must not find one
   * more after that.
   */
  async open(
    { id, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
    link: LinkPurpose,
    context: LoginContext,
  ): Promise<LinkLogin> {
    try {
      const user = await this.users.find(id)
      if (!user || user.passwordHash !== passwordHash) return new ApiError('INVALID_CREDENTIALS')
      const { source, client } = context
      const refusal = await this.loginPolicy.refusalOfLogin(user, { source, origin: client.origin })
      if (refusal) {
        const { accountId, email } = user
        const detail = { reason: reasonOfRefusal(user, refusal), email, link }
        const outcome = refusal === 'INVALID_CREDENTIALS' ? 'failed' : 'refused'
        this.auditLog.enqueue(auditEvent({ userId: id, accountId, client }, 'login', detail), outcome)
        return new ApiError(refusal)
      }
      const basis = { detail: { link }, use: async () => NO_MAILS }
      return await this.sessions.openSession(user, { methods: authMethods('pwd') }, context, basis)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (!isRefusal(error))
        this.logger.warn(`A link was used, but opened no session: ${causeMessage(error)}`)
      return error
    }
  }
}

/** In the words of a login by password. */
function reasonOfRefusal(user: User, refusal: ErrorCode): string {
  if (refusal === 'OWNER_LOGIN_BARRED') return 'owner on a satellite'
  if (refusal === 'HANDOFF_REQUIRED') return 'hand-off required'
  return reasonOf(user, true)
}

/** What every request that uses such a link has in its body. */
export class LinkLoginBody {
  @MailedToken() token!: string

  @SentDeviceId({ description: 'As at `POST /api/login`' }) deviceId?: DeviceId | null
}

/** For the description of an endpoint. */
export const LINK_LOGIN =
  'Then logs the user in, as `POST /api/login` would: from a page of the main site with a main session, whose cookie is set, from ' +
  'anywhere else with a satellite session. Where that is refused, the answer has its `code` instead of a token; with ' +
  '`SECOND_FACTOR_REQUIRED` also `challenge` and `methods` for `POST /api/login/second-factor`.'

export class LinkLoginAnswer {
  @Text({ optional: true, description: 'As from `POST /api/login`' }) accessToken?: string
  @Id({ optional: true, description: 'Satellites and mobile apps only' }) sessionId?: string
  @Text({ optional: true, description: 'As from `POST /api/login`' }) deviceId?: string

  @Text({
    optional: true,
    description: 'Instead of a token: what `POST /api/login` would refuse this user with',
    example: 'SECOND_FACTOR_REQUIRED',
  })
  code?: ErrorCode

  @Text({ optional: true, description: 'With `SECOND_FACTOR_REQUIRED`, for `POST /api/login/second-factor`' })
  challenge?: string

  @ApiProperty({
    enum: FACTOR_METHODS,
    isArray: true,
    required: false,
    description: 'With `SECOND_FACTOR_REQUIRED`: what the user can use here',
  })
  methods?: readonly (typeof FACTOR_METHODS)[number][]
}

/** The login that follows from this request: nothing in its body asks for a main session, only where it comes from. */
export function linkContextOf(
  { deviceId }: LinkLoginBody,
  request: FastifyRequest,
  settings: Settings,
): LoginContext {
  const source = request.headers.origin === settings.mainOrigin ? 'main' : 'satellite'
  return loginContextOf({ source, ...(deviceId !== undefined && { deviceId }) }, request, settings)
}

/** What the answer says of the login; on the main site its cookies are set too. */
export function answerToLink(
  login: LinkLogin,
  context: LoginContext,
  reply: FastifyReply,
  settings: Settings,
): LinkLoginAnswer {
  if (login instanceof ApiError) return { code: login.code, ...login.options.members }
  return answerTo(context, login, reply, settings)
}
