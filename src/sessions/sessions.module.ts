import { Module } from '@nestjs/common'
import { ScheduleModule } from '@nestjs/schedule'
import { AnomaliesModule } from '../anomalies/anomalies.module.js'
import { AttemptsModule } from '../attempts/attempts.module.js'
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
import { RefusedRefreshes } from './refused-refreshes.js'
import { ChangeHistory } from './revocation/change-history.js'
import { StoreGeneration } from './revocation/store-generation.js'
import { StoreSupervisor } from './revocation/store-supervisor.js'
import { SessionCentreController } from './session-centre.controller.js'
import { SessionCentre } from './session-centre.js'
import { SessionChangeLog } from './session-change-log.js'
import { SessionChanges } from './session-changes.js'
import { SessionCleanup } from './session-cleanup.js'
import { SessionLimit } from './session-limit.js'
import { SessionStore } from './session-store.js'
import { SessionTime } from './session-time.js'
import { SessionsController } from './sessions.controller.js'
import { SessionsService } from './sessions.service.js'
import { UseWatch } from './use-watch.js'
import { UserSessions } from './user-sessions.js'

@Module({
  imports: [
    AnomaliesModule,
    AttemptsModule,
    AuditModule,
    PlacesModule,
    RedisModule,
    TokensModule,
    ScheduleModule.forRoot(),
  ],
  controllers: [SessionsController, SessionCentreController],
  providers: [
    ChangeHistory,
    StoreGeneration,
    UserSessions,
    {
      // Null where sessions are in the database, which keeps what it has committed.
      provide: StoreSupervisor,
      inject: [RedisConnection, Database, ChangeHistory, StoreGeneration],
      useFactory: (
        redis: RedisConnection | null,
        ...rest: [database: Database, history: ChangeHistory, generation: StoreGeneration]
      ) => (redis ? new StoreSupervisor(redis, ...rest) : null),
    },
    {
      provide: SessionStore,
      inject: [RedisConnection, StoreSupervisor, Database, UserSessions],
      useFactory: (
        redis: RedisConnection | null,
        supervisor: StoreSupervisor | null,
        database: Database,
        userSessions: UserSessions,
      ) =>
        redis && supervisor
          ? new RedisSessionStore(redis, supervisor.gates, userSessions)
          : new DatabaseSessionStore(database, userSessions),
    },
    SessionsService,
    SessionTime,
    SessionLimit,
    SessionCentre,
    OwnSessions,
    RefreshService,
    RefusedRefreshes,
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
    StoreSupervisor,
    UserSessions,
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
