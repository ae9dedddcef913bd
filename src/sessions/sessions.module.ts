import { Module } from '@nestjs/common'
import { ScheduleModule } from '@nestjs/schedule'
import { AnomaliesModule } from '../anomalies/anomalies.module.js'
import { AuditModule } from '../audit/audit.module.js'
import { Database } from '../database/database.js'
import { PlacesModule } from '../places/places.module.js'
import { RedisModule } from '../redis/redis.module.js'
import { RedisConnection } from '../redis/redis-connection.js'
import { TokensModule } from '../tokens/tokens.module.js'
import { AnomalyResponse } from './anomaly-response.js'
import { DatabaseSessionStore } from './database.session-store.js'
import { LiveSessionGuard } from './live-session.guard.js'
import { LoginWatch } from './login-watch.js'
import { MainSourceGuard } from './main-source.guard.js'
import { OwnSessions } from './own-sessions.js'
import { PermissionGuard } from './permission.guard.js'
import { ReauthenticationGuard } from './reauthentication.guard.js'
import { Reauthentication } from './reauthentication.js'
import { RedisSessionStore } from './redis.session-store.js'
import { RefreshService } from './refresh.service.js'
import { SessionCentreController } from './session-centre.controller.js'
import { SessionCentre } from './session-centre.js'
import { SessionChangeLog } from './session-change-log.js'
import { SessionChanges } from './session-changes.js'
import { SessionCleanup } from './session-cleanup.js'
import { SessionLimit } from './session-limit.js'
import { SessionStore } from './session-store.js'
import { SessionsController } from './sessions.controller.js'
import { SessionsService } from './sessions.service.js'
import { UseWatch } from './use-watch.js'

@Module({
  imports: [AnomaliesModule, AuditModule, PlacesModule, RedisModule, TokensModule, ScheduleModule.forRoot()],
  controllers: [SessionsController, SessionCentreController],
  providers: [
    {
      provide: SessionStore,
      inject: [Database, RedisConnection],
      useFactory: (database: Database, redis: RedisConnection | null) =>
        redis ? new RedisSessionStore(redis) : new DatabaseSessionStore(database),
    },
    SessionsService,
    SessionLimit,
    SessionCentre,
    OwnSessions,
    RefreshService,
    AnomalyResponse,
    LoginWatch,
    UseWatch,
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
    SessionCentre,
    LoginWatch,
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
