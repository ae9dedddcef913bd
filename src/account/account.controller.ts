import { Body, Controller, Get, Patch } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../http/client.js'
import { CurrentSession } from '../sessions/actor.js'
import { MainSite } from '../sessions/guards/protection.decorators.js'
import type { Session } from '../sessions/session.js'
import { ChangeAccountDocs, ReadAccountDocs } from './account.dto.js'
import { AccountService } from './account.service.js'
import { NameBody } from './profile/profile.dto.js'

@ApiTags('Account')
@Controller('api/account')
@MainSite({ permission: 'accountSettings' })
export class AccountController {
  constructor(private readonly account: AccountService) {}

  /** The caller's account. */
  @Get()
  @ReadAccountDocs()
  read(@CurrentSession() session: Session) {
    return this.account.read(session)
  }

  /** Changes the account's name. */
  @Patch()
  @ChangeAccountDocs()
  change(@CurrentSession() session: Session, @Body() { name }: NameBody, @CurrentClient() client: Client) {
    return this.account.rename(session, name, client)
  }
}
