import { randomUUID } from 'node:crypto'
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Injectable,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  answerToLink,
  LINK_LOGIN,
  type LinkLogin,
  LinkLoginAnswer,
  LinkLoginBody,
  LinkLogins,
  linkContextOf,
} from '../auth/link-login.js'
import type { LoginContext } from '../auth/login-policy.js'
import { languageWanted } from '../mail/language.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import { type AuditEvent, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import { Answers, DocumentedGuard, Refuses } from '../platform/http/endpoint.js'
import { Id } from '../platform/http/fields.js'
import { type Client, CurrentClient, requestOf } from '../platform/http/request.js'
import { OneTimeTokens, withdrawSignUps } from '../platform/one-time-tokens.js'
import { type CountedAction, mailCounted, RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { hashToken } from '../platform/secrets/token-hash.js'
import { requireMainOrigin } from '../sessions/session-cookie.js'
import { Public } from '../tokens/jwt.guard.js'
import { type Email, EmailAddress } from '../users/email.js'
import { Name } from '../users/name-text.js'
import { PasswordPolicy } from '../users/passwords/password-policy.js'
import { NewPassword, Password, Passwords } from '../users/passwords/passwords.js'
import { initialGrant, type User } from '../users/user.js'
import { Users } from '../users/users.js'

/** A sign-up whose e-mail address nobody has confirmed yet. */
interface PendingSignUp {
  readonly email: Email
  readonly name: string | null
  /** Null when the address already had a user: this sign-up leads nowhere. */
  readonly passwordHash: string | null
}

const LIFETIME_SECONDS = 24 * 60 * 60

/**
 * Signing up: a link goes to the address, and a visitor who follows it and knows the password gets the account. Each link
 * has its own password, however many there are for one address; nothing else exists until one is followed.
 */
@Injectable()
export class SignUpService {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly tokens: OneTimeTokens,
    private readonly policy: PasswordPolicy,
    private readonly passwords: Passwords,
    private readonly rateLimiter: RateLimiter,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly auditLog: AuditLog,
    private readonly logins: LinkLogins,
  ) {}

  /**
   * Mails a link to the address. If the address has a user, it gets a different mail after the same work,
   * including the row of a link that nobody receives, so that neither answer nor time reveals who has an
   * account. Throws `WEAK_PASSWORD`.
   */
  async signUp(applicant: SignUpBody, client: Client): Promise<void> {
    this.mailer.requireMail()
    const counting = this.rateLimiter.count({ kind: 'mail', subject: applicant.email, client })
    await mailCounted(counting, () => this.mailLink(applicant, client))
  }

  private async mailLink({ email, password, name = '' }: SignUpBody, client: Client): Promise<void> {
    const passwordHash = await this.policy.hash(password, { known: [email, name], client, subject: '' })
    const known = await this.users.findByEmail(email)
    const token = await this.database.transaction(async transaction => {
      await this.auditLog.record(transaction, eventOf(email, known, client))
      return this.tokens.issue(transaction, {
        purpose: 'sign-up',
        email,
        detail: { name: name || null, passwordHash: known ? null : passwordHash },
        lifetimeSeconds: LIFETIME_SECONDS,
      })
    })
    const site = this.urls.siteName
    if (known) {
      const values = { site, url: this.urls.forgotPassword(), frontPage: this.urls.frontPage() }
      this.mailer.post(known, words => words.mail('knownAddress', values))
    } else {
      const url = this.urls.toMainSite('/verify-email', token)
      const to = { email, language: languageWanted(client.acceptLanguage) }
      this.mailer.post(to, words => words.mail('signUp', { site, url }))
    }
  }

  /**
   * Creates the account and its owner, whom it logs in like {@link LinkLogins.open}. The link proves that the caller reads the mailbox; the password proves
   * that they are the one who signed up. With a wrong one (`INVALID_CREDENTIALS`) the link stays valid, until twenty
   * were wrong (`TOO_MANY_ATTEMPTS` from then on). Of two concurrent calls, only one succeeds. Throws `INVALID_LINK`,
   * and `EMAIL_TAKEN` when the address has got a user in the meantime.
   */
  async verify(
    token: string,
    password: string,
    context: LoginContext,
  ): Promise<{ readonly userId: string; readonly login: LinkLogin }> {
    const { client } = context
    const { detail, email } = await this.tokens.require('sign-up', token, client, 'email.verify')
    const found = { ...detail, email } as unknown as PendingSignUp
    const counted = await this.countGuess(token, found.email, client)
    const checked = this.requirePassword(found, password, client)
    const owner = await counted.checkedBy(checked.then(() => this.complete(token, found, client)))
    return { userId: owner.id, login: await this.logins.open(owner, 'sign-up', context) }
  }

  /** By the link as well, from however many networks they come: who reads the mail may not know the password. */
  private async countGuess(token: string, email: Email, client: Client): Promise<CountedAction> {
    // The holder of the link owns this mailbox, so other clients' failures at this address do not count against
    // them.
    const guess = { kind: 'password', subject: email, client } as const
    const ofAddress = await this.rateLimiter.count(guess, async () => true)
    const ofLink = { kind: 'sign-up password', subject: hashToken(token), client } as const
    // A guess that either refuses is not checked, and so not counted.
    return ofAddress.and(await ofAddress.refundIfRejected(this.rateLimiter.count(ofLink)))
  }

  private async requirePassword(
    { email, passwordHash }: PendingSignUp,
    password: string,
    client: Client,
  ): Promise<void> {
    if (await this.passwords.verify(passwordHash, password, client)) return
    const event = auditEvent({ client }, 'email.verify', { reason: 'wrong password', email })
    this.auditLog.enqueue(event, 'failed')
    throw new ApiError('INVALID_CREDENTIALS')
  }

  /** Uses up the link, drops all others for the address, and creates the account and its owner. */
  private complete(
    token: string,
    { email, name, passwordHash }: PendingSignUp,
    client: Client,
  ): Promise<User> {
    const grant = { role: 'owner', granted: initialGrant('owner'), satellites: null } as const
    const ids = { id: randomUUID(), accountId: randomUUID() }
    return this.database.transaction(async transaction => {
      // Before the links: two sign-ups for one address wait for each other here, while neither holds what the
      // other needs.
      const owner = await this.users.addOwner(transaction, {
        ...ids,
        email,
        name,
        passwordHash,
        language: languageWanted(client.acceptLanguage),
        ...grant,
      })
      await this.tokens.consume(transaction, 'sign-up', token)
      await withdrawSignUps(transaction, email)
      const actor = { userId: owner.id, accountId: owner.accountId, client }
      const events = [auditEvent(actor, 'email.verify'), auditEvent(actor, 'account.create')]
      await this.auditLog.recordAll(transaction, events)
      return owner
    })
  }
}

function eventOf(email: Email, known: User | null, client: Client): AuditEvent {
  if (!known) return auditEvent({ client }, 'signup', { email })
  const { id: userId, accountId } = known
  const event = auditEvent({ userId, accountId, client }, 'signup', { reason: 'e-mail taken' })
  return { ...event, outcome: 'refused' }
}

class SignUpBody {
  @EmailAddress({ example: 'rosa@example.com' }) email!: Email
  @NewPassword({ example: 'correct horse battery staple' }) password!: string

  /** The owner's name. */
  @Name({ optional: true }) name?: string
}

class VerifySignUpBody extends LinkLoginBody {
  @Password({ description: 'The one given at the sign-up' }) password!: string
}

class SignedUpAnswer extends LinkLoginAnswer {
  @Id() userId!: string
}

/**
 * Lets users sign up only where SIGN_UP is on, and only from the main site. Throws `SIGN_UP_CLOSED`,
 * `MAIN_ORIGIN_REQUIRED` or `CROSS_SITE_REFUSED` (403).
 */
@Injectable()
@DocumentedGuard({ refusals: ['SIGN_UP_CLOSED', 'MAIN_ORIGIN_REQUIRED', 'CROSS_SITE_REFUSED'] })
class SignUpGuard implements CanActivate {
  constructor(private readonly settings: Settings) {}

  canActivate(context: ExecutionContext): boolean {
    if (!this.settings.isSignUpOpen) throw new ApiError('SIGN_UP_CLOSED')
    requireMainOrigin(requestOf(context), this.settings)
    return true
  }
}

@ApiTags('Sign-up')
@Controller('api/signup')
@UseGuards(SignUpGuard)
export class SignUpController {
  constructor(
    private readonly signUps: SignUpService,
    private readonly settings: Settings,
  ) {}

  /** Public, because the caller has no account yet. */
  @Public()
  @Post()
  @ApiOperation({
    summary: 'Sign up',
    description:
      'Mails a link to the address, valid for 24 hours; nothing exists before it is followed. If the address already has a ' +
      'user, it gets a mail that says so; the answer is the same.',
  })
  @Answers(202, 'A mail is on its way')
  @Refuses('WEAK_PASSWORD', 'MAIL_UNAVAILABLE', 'TOO_BUSY')
  signUp(@Body() applicant: SignUpBody, @CurrentClient() client: Client) {
    return this.signUps.signUp(applicant, client)
  }

  /** Public: the link and the password are the proof. */
  @Public()
  @Post('verify')
  @ApiOperation({
    summary: 'Confirm the e-mail address of a sign-up',
    description:
      'Creates the account and its owner. It takes the password of the sign-up again, because the reader of the mail may ' +
      `not be the person who chose it. With a wrong password the link stays valid. ${LINK_LOGIN}`,
  })
  @Answers(201, 'The account has been created', SignedUpAnswer)
  @Refuses('INVALID_LINK', 'INVALID_CREDENTIALS', 'EMAIL_TAKEN', 'TOO_BUSY')
  async verify(
    @Body() body: VerifySignUpBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const context = linkContextOf(body, request, this.settings)
    const { login, userId } = await this.signUps.verify(body.token, body.password, context)
    return { userId, ...answerToLink(login, context, reply, this.settings) }
  }
}
