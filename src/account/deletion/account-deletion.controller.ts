import { Controller, Delete, HttpCode, Post, UseGuards } from '@nestjs/common'
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../../http/client.js'
import { CurrentSession } from '../../sessions/guards/current-session.decorator.js'
import { MainSourceGuard } from '../../sessions/guards/main-source.guard.js'
import { ReauthenticationGuard } from '../../sessions/guards/reauthentication.guard.js'
import type { Session } from '../../sessions/session.js'
import { AskDeletionDocs, KeepAccountDocs } from '../account.docs.js'
import { OwnerGuard } from '../owner.guard.js'
import { AccountDeletion } from './account-deletion.service.js'

@ApiTags('Account')
@ApiBearerAuth('accessToken')
@Controller('api/account/deletion')
export class AccountDeletionController {
  constructor(private readonly deletion: AccountDeletion) {}

  /** Requests the deletion of the account. */
  @Post()
  @HttpCode(200)
  @AskDeletionDocs()
  @UseGuards(MainSourceGuard, OwnerGuard, ReauthenticationGuard)
  async ask(@CurrentSession() session: Session, @CurrentClient() client: Client) {
    return { deleteAt: await this.deletion.request(session, client) }
  }

  /** Cancels it. */
  @Delete()
  @HttpCode(204)
  @KeepAccountDocs()
  @UseGuards(MainSourceGuard, OwnerGuard)
  keep(@CurrentSession() session: Session, @CurrentClient() client: Client) {
    return this.deletion.cancel(session, client)
  }
}
