import { Body, Controller, Get, HttpCode, Patch, Post, UseGuards } from '@nestjs/common'
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../http/client.js'
import { CurrentSession } from '../sessions/current-session.decorator.js'
import { MainSourceGuard } from '../sessions/main-source.guard.js'
import { PermissionGuard, RequirePermission } from '../sessions/permission.guard.js'
import { ReauthenticationGuard } from '../sessions/reauthentication.guard.js'
import type { Session } from '../sessions/session.js'
import { ChangeAccountDocs, ReadAccountDocs, TransferAccountDocs } from './account.docs.js'
import { AccountService } from './account.service.js'
import { NameBody } from './name.body.js'
import { OwnerGuard } from './owner.guard.js'
import { OwnershipTransfer } from './ownership-transfer.service.js'
import { TransferBody } from './transfer.body.js'

@ApiTags('Account')
@ApiBearerAuth('accessToken')
@Controller('api/account')
export class AccountController {
  constructor(
    private readonly account: AccountService,
    private readonly ownershipTransfer: OwnershipTransfer,
  ) {}

  /** The caller's account. */
  @Get()
  @ReadAccountDocs()
  @UseGuards(MainSourceGuard, PermissionGuard)
  @RequirePermission('accountSettings')
  read(@CurrentSession() session: Session) {
    return this.account.read(session)
  }

  /** Changes the account's name. */
  @Patch()
  @ChangeAccountDocs()
  @UseGuards(MainSourceGuard, PermissionGuard)
  @RequirePermission('accountSettings')
  change(@CurrentSession() session: Session, @Body() { name }: NameBody, @CurrentClient() client: Client) {
    return this.account.rename(session, name, client)
  }

  /** Makes a member the owner in the caller's place. */
  @Post('transfer')
  @HttpCode(204)
  @TransferAccountDocs()
  @UseGuards(MainSourceGuard, OwnerGuard, ReauthenticationGuard)
  transfer(
    @CurrentSession() session: Session,
    @Body() { userId }: TransferBody,
    @CurrentClient() client: Client,
  ) {
    return this.ownershipTransfer.transfer(session, userId, client)
  }
}
