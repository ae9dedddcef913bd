import { Module } from '@nestjs/common'
import { ScheduleModule } from '@nestjs/schedule'
import { AuditModule } from '../audit/audit.module.js'
import { Database } from '../database/database.js'
import { RedisModule } from '../redis/redis.module.js'
import { RedisConnection } from '../redis/redis-connection.js'
import { TokensModule } from '../tokens/tokens.module.js'
import { DatabaseSessionStore } from './database.session-store.js'
import { LiveSessionGuard } from './live-session.guard.js'
import { MainSourceGuard } from './main-source.guard.js'
import { PermissionGuard } from './permission.guard.js'
import { ReauthenticationGuard } from './reauthentication.guard.js'
import { Reauthentication } from './reauthentication.js'
import { RedisSessionStore } from './redis.session-store.js'
import { SessionChangeLog } from './session-change-log.js'
import { SessionChanges } from './session-changes.js'
import { SessionCleanup } from './session-cleanup.js'
import { SessionStore } from './session-store.js'
import { SessionsController } from './sessions.controller.js'
import { SessionsService } from './sessions.service.js'

@Module({
  imports: [AuditModule, RedisModule, TokensModule, ScheduleModule.forRoot()],
  controllers: [SessionsController],
  providers: [
    {
      provide: SessionStore,
      inject: [Database, RedisConnection],
      useFactory: (database: Database, redis: RedisConnection | null) =>
        redis ? new RedisSessionStore(redis) : new DatabaseSessionStore(database),
    },
    SessionsService,
    SessionChangeLog,
    SessionChanges,
    SessionCleanup,
    Reauthentication,
    MainSourceGuard,
    LiveSessionGuard,
    PermissionGuard,
    ReauthenticationGuard,
  ],
  exports: [
    SessionStore,
    SessionsService,
    SessionChanges,
    SessionCleanup,
    Reauthentication,
    MainSourceGuard,
    LiveSessionGuard,
    PermissionGuard,
    ReauthenticationGuard,
  ],
})
export class SessionsModule {}
