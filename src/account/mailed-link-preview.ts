import { Body, Controller, Post } from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import { Satellites } from '../cors/satellites.js'
import { safeName } from '../mail/layout.js'
import { ApiError } from '../platform/errors/api-error.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { ListOf, Text } from '../platform/http/fields.js'
import { type Client, CurrentClient } from '../platform/http/request.js'
import type { OneTimeToken, Purpose } from '../platform/one-time-tokens.js'
import { MailedLinkBody, OneTimeTokens } from '../platform/one-time-tokens.js'
import type { Invitation } from '../team/invitations.js'
import { Public } from '../tokens/jwt.guard.js'
import { Accounts } from '../users/accounts.js'
import { Users } from '../users/users.js'

/** No other token is in a mail. */
const MAILED: readonly Purpose[] = [
  'sign-up',
  'password-reset',
  'invitation',
  'email-change',
  'email-undo',
  'not-me',
  'transfer-accept',
  'transfer-stop',
  'factor-reset',
]
/** An address that somebody wants to change to may be another person's, who learns nothing of the account. */
const OF_ACCOUNT: ReadonlySet<Purpose> = new Set(['invitation', 'transfer-accept', 'transfer-stop'])

class MailedLinkAnswer {
  @Text({ format: 'email', description: 'The address that the link was mailed to' }) email!: string

  @Text({
    nullable: true,
    description: 'Of an invitation or a transfer; null where it has none, or one that could mislead',
  })
  accountName!: string | null

  @Text({ format: 'email', nullable: true, description: 'Of an invitation: who sent it' })
  invitedBy!: string | null

  @ListOf(String, {
    nullable: true,
    description: 'Of an invitation: origins to log in at, as far as they are proven; null means all',
  })
  satellites!: readonly string[] | null
}

/** Tells the pages that mails lead to whom and what a link is about. */
@ApiTags('Account')
@Controller('api/mailed-links')
export class MailedLinksController {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly satellites: Satellites,
  ) {}

  /** Public: anyone with the link may use it, and learns little more than its mail says. */
  @Public()
  @Post('preview')
  @ApiOperation({
    summary: 'What a mailed link is about',
    description:
      'For the page that a mail leads to, before anything happens. It uses nothing up. A link that is not valid counts as a ' +
      'guess, as where it is used.',
  })
  @Answers(200, 'The link was valid a moment ago', MailedLinkAnswer)
  @Refuses('INVALID_LINK')
  async preview(
    @Body() { token: text }: MailedLinkBody,
    @CurrentClient() client: Client,
  ): Promise<MailedLinkAnswer> {
    const token = await this.tokens.find(MAILED, text, client)
    if (!token) throw new ApiError('INVALID_LINK')
    const { email, purpose, accountId } = token
    const nothing = { email, accountName: null, invitedBy: null, satellites: null }
    if (!accountId || !OF_ACCOUNT.has(purpose)) return nothing
    const account = await this.accounts.find(accountId)
    const about = { ...nothing, accountName: account?.name ? safeName(account.name) : null }
    return purpose === 'invitation' ? { ...about, ...(await this.invitation(accountId, token)) } : about
  }

  private async invitation(accountId: string, { detail }: OneTimeToken) {
    const { invitedBy, satellites } = detail as unknown as Invitation
    const inviter = await this.users.findInAccount(invitedBy, accountId)
    if (!inviter || inviter.disabledAt) throw new ApiError('INVALID_LINK')
    return {
      invitedBy: inviter.email,
      satellites: this.satellites.provenOf(accountId, satellites),
    }
  }
}
