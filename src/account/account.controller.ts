import { Body, Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { MainSite } from '../sessions/guards/protection.decorators.js'
import { ContainsDamage } from '../sessions/guards/write-limit.guard.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import {
  AccountBody,
  CancelDeletionDocs,
  ChangeAccountDocs,
  ReadAccountDocs,
  RequestDeletionDocs,
} from './account.dto.js'
import { AccountService } from './account.service.js'
import { AccountChanges } from './account-changes.js'
import { AccountDeletionService } from './deletion/account-deletion.service.js'
import { OwnerGuard } from './owner.guard.js'

@ApiTags('Account')
@Controller('api/account')
@MainSite({ permission: 'accountSettings' })
export class AccountController {
  constructor(
    private readonly account: AccountService,
    private readonly changes: AccountChanges,
    private readonly reauthentication: Reauthentication,
  ) {}

  /** The caller's account. */
  @Get()
  @ReadAccountDocs()
  read(@CurrentActor() actor: SessionActor) {
    return this.account.read(actor)
  }

  /**
   * Changes the account's name, and who must log in on satellites by hand-off. Where passwords may be typed, that
   * site's server sees them, so somebody who finds an unlocked browser must not be able to allow it.
   */
  @Patch()
  @ChangeAccountDocs()
  async change(@CurrentActor() actor: SessionActor, @Body() body: AccountBody) {
    if ((body.handoffRequired ?? 'everyone') !== 'everyone')
      await this.reauthentication.requireLookingUpFactor(actor)
    await this.changes.make(actor, body)
    return this.account.read(actor)
  }
}

@ApiTags('Account')
@Controller('api/account/deletion')
export class AccountDeletionController {
  constructor(private readonly deletion: AccountDeletionService) {}

  /** Requests the deletion of the account. */
  @Post()
  @HttpCode(200)
  @MainSite({ guard: OwnerGuard, reauthenticated: true })
  @RequestDeletionDocs()
  async request(@CurrentActor() actor: SessionActor) {
    return { deleteAt: await this.deletion.request(actor) }
  }

  /** Cancels it. */
  @ContainsDamage()
  @Delete()
  @HttpCode(204)
  @MainSite({ guard: OwnerGuard })
  @CancelDeletionDocs()
  cancel(@CurrentActor() actor: SessionActor) {
    return this.deletion.cancel(actor)
  }
}
