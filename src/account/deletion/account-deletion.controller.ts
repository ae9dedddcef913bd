import { Controller, Delete, HttpCode, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../../http/client.js'
import { CurrentSession } from '../../sessions/actor.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import type { Session } from '../../sessions/session.js'
import { AskDeletionDocs, KeepAccountDocs } from '../account.dto.js'
import { OwnerGuard } from '../owner.guard.js'
import { AccountDeletion } from './account-deletion.service.js'

@ApiTags('Account')
@Controller('api/account/deletion')
export class AccountDeletionController {
  constructor(private readonly deletion: AccountDeletion) {}

  /** Requests the deletion of the account. */
  @Post()
  @HttpCode(200)
  @MainSite({ guard: OwnerGuard, reauthenticated: true })
  @AskDeletionDocs()
  async ask(@CurrentSession() session: Session, @CurrentClient() client: Client) {
    return { deleteAt: await this.deletion.request(session, client) }
  }

  /** Cancels it. */
  @Delete()
  @HttpCode(204)
  @MainSite({ guard: OwnerGuard })
  @KeepAccountDocs()
  keep(@CurrentSession() session: Session, @CurrentClient() client: Client) {
    return this.deletion.cancel(session, client)
  }
}
