import { Controller, Get, Query } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { LiveSession } from '../sessions/guards/protection.decorators.js'
import type { Session } from '../sessions/session.js'
import { CurrentSession } from '../sessions/session-actor.js'
import { AccountTurns } from './account-turns.js'
import { LoginHistory } from './login-history.js'
import { ListLoginsDocs, PageQuery } from './logins.dto.js'

@ApiTags('History')
@Controller('api/logins')
@LiveSession()
export class LoginsController {
  constructor(
    private readonly history: LoginHistory,
    private readonly turns: AccountTurns,
  ) {}

  /** The caller's own logins, a page at a time. */
  @Get()
  @ListLoginsDocs()
  list(@CurrentSession() session: Session, @Query() query: PageQuery) {
    return this.turns.take(session.accountId, () => this.history.list(session, query))
  }
}
