import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common'
import { ApiOperation, ApiPropertyOptional, ApiTags } from '@nestjs/swagger'
import { ValidateIf } from 'class-validator'
import { HANDOFF_REQUIREMENTS, type HandoffRequirement } from '../platform/database/schema/columns.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { type About, Id, Instant, Nested, OneOf, Text, Whole } from '../platform/http/fields.js'
import { ContainsDamage, MainSite } from '../sessions/guards.js'
import { IdleSeconds } from '../sessions/idle-seconds.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { Name } from '../users/name-text.js'
import { AccountService, OwnerGuard } from './account.js'
import { AccountDeletionService } from './deletion.js'
import { PendingTransferAnswer } from './transfer.controller.js'

const Requirement = (about: About = {}) =>
  OneOf(HANDOFF_REQUIREMENTS, {
    description:
      'Who logs in on satellites through the main site only: a password typed there is refused with `HANDOFF_REQUIRED`',
    ...about,
  })

/** The fields to change; at least one is required. */
class AccountBody {
  @ApiPropertyOptional()
  @ValidateIf(
    ({ name, handoffRequired, idleSeconds }) =>
      name !== undefined || (handoffRequired === undefined && idleSeconds === undefined),
  )
  @Name()
  name?: string

  @Requirement({ optional: true }) handoffRequired?: HandoffRequirement

  @IdleSeconds({
    optional: true,
    description:
      'Idle timeout: after how long without a refresh sessions of its users are over, on the main site, satellites and in apps; at least twice the life of an access token. Null sets none',
  })
  idleSeconds?: number | null
}

/** An account as seen by users who may change its settings. */
class AccountAnswer {
  @Id() accountId!: string
  @Text({ nullable: true }) name!: string | null
  @Requirement() handoffRequired!: HandoffRequirement
  @IdleSeconds() idleSeconds!: number | null
  @Instant() createdAt!: Date

  @Whole({ description: 'How long a deletion that is asked for now would wait' })
  deletionGraceSeconds!: number

  @Whole({ description: 'How long a transfer that is asked for now would wait' })
  transferWaitSeconds!: number

  @Instant({ nullable: true, description: 'Null while no deletion has been requested' })
  deleteAt!: Date | null

  @Nested(PendingTransferAnswer, {
    nullable: true,
    description: 'The pending transfer; null when there is none to a member of the account',
  })
  transfer!: PendingTransferAnswer | null
}

class DeletionAnswer {
  @Instant() deleteAt!: string
}

@ApiTags('Account')
@Controller('api/account')
@MainSite({ permission: 'accountSettings' })
export class AccountController {
  constructor(private readonly account: AccountService) {}

  @Get()
  @ApiOperation({ summary: 'The account', description: 'Main site, with the permission accountSettings.' })
  @Answers(200, 'The account', AccountAnswer)
  read(@CurrentActor() actor: SessionActor) {
    return this.account.read(actor)
  }

  @Patch()
  @ApiOperation({
    summary: "Change the account's name, its logins on satellites or its idle timeout",
    description:
      'Main site, with the permission accountSettings. A `handoffRequired` other than `everyone`, and an `idleSeconds` that is longer than before or null, need a re-authentication, with a second factor for a user who has one. If it is required of fewer people than before, the administrators of the account are mailed.',
  })
  @Answers(200, 'The account as it is now', AccountAnswer)
  @Refuses('REAUTHENTICATION_REQUIRED', 'STEP_UP_REQUIRED')
  change(@CurrentActor() actor: SessionActor, @Body() body: AccountBody) {
    return this.account.change(actor, body)
  }
}

@ApiTags('Account')
@Controller('api/account/deletion')
export class AccountDeletionController {
  constructor(private readonly deletion: AccountDeletionService) {}

  @Post()
  @MainSite({ guard: OwnerGuard, reauthenticated: true })
  @ApiOperation({
    summary: 'Delete the account, after a grace period',
    description:
      'For the owner on the main site, after a re-authentication. Everything but a new checkout works as usual until `deleteAt`; asking again keeps the ' +
      'first date. With a subscription for a fixed term that has further periods to pay, `deleteAt` is the end of the term. Then the account is deleted with all its users and sessions. While a change of the owner’s e-mail address can ' +
      'still be undone, the deletion waits. The audit log is kept.',
  })
  @Answers(200, 'It is going to be deleted', DeletionAnswer)
  @Refuses('SUBSCRIPTION_LIVE', 'MAIL_UNAVAILABLE')
  async request(@CurrentActor() actor: SessionActor) {
    return { deleteAt: await this.deletion.request(actor) }
  }

  @ContainsDamage()
  @Delete()
  @MainSite({ guard: OwnerGuard })
  @ApiOperation({
    summary: 'Cancel the deletion of the account',
    description: 'For the owner on the main site.',
  })
  @Answers(204, 'The deletion is cancelled')
  @Refuses('NOT_FOUND')
  cancel(@CurrentActor() actor: SessionActor) {
    return this.deletion.cancel(actor)
  }
}
