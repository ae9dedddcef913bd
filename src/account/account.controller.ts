import { Body, Controller, Get, Patch, UseGuards } from '@nestjs/common'
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../http/client.js'
import { CurrentSession } from '../sessions/guards/current-session.decorator.js'
import { MainSourceGuard } from '../sessions/guards/main-source.guard.js'
import { PermissionGuard, RequirePermission } from '../sessions/guards/permission.guard.js'
import type { Session } from '../sessions/session.js'
import { ChangeAccountDocs, ReadAccountDocs } from './account.docs.js'
import { AccountService } from './account.service.js'
import { NameBody } from './profile/name.body.js'

@ApiTags('Account')
@ApiBearerAuth('accessToken')
@Controller('api/account')
export class AccountController {
  constructor(private readonly account: AccountService) {}

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
}
