// What was decided here, and why: docs/decisions/README.md, "Tokens and sessions"
import { Module } from '@nestjs/common'
import { ScheduleModule } from '@nestjs/schedule'
import { CorsModule } from '../cors/cors.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import { Database } from '../platform/database/database.js'
import { GeoIpModule } from '../platform/geoip.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limiter.js'
import { RedisConnection, RedisModule } from '../platform/redis/redis.js'
import { TokensModule } from '../tokens/tokens.module.js'
import { ActiveSessionsController } from './active-sessions.controller.js'
import { ActiveSessions, OwnSessions } from './active-sessions.js'
import { SessionCleanup } from './cleanup.job.js'
import { DatabaseSessionStore } from './database.session-store.js'
import { EnrolmentRefusal } from './enrolment-refusal.js'
import {
  CookieBoundSessionGuard,
  EnrolmentGuard,
  LiveSessionGuard,
  PermissionGuard,
  ReauthenticationGuard,
  WriteLimitGuard,
} from './guards.js'
import { MainSourceGuard } from './main-source.guard.js'
import { PaymentsPermissionGuard } from './payments-permission.guard.js'
import { Reauthentication } from './reauthentication.js'
import { RedisSessionStore } from './redis.session-store.js'
import { SessionChangeLog, SessionChanges } from './revocation/changes.js'
import { ChangeHistory } from './revocation/replay.js'
import { GateMetrics, StoreSupervisor } from './revocation/store-supervisor.js'
import { SessionStore } from './session-store.js'
import { PastSessions, SessionLimits, SessionLinks, SessionsService, SessionTerms } from './sessions.js'
import { UserSessions } from './user-sessions.js'

@Module({
  imports: [
    AuditLogModule,
    GeoIpModule,
    RateLimitsModule,
    RedisModule,
    CorsModule,
    TokensModule,
    ScheduleModule.forRoot(),
  ],
  controllers: [ActiveSessionsController],
  providers: [
    ChangeHistory,
    UserSessions,
    {
      // Null where sessions are in the database, which does not lose what it has committed.
      provide: StoreSupervisor,
      inject: [RedisConnection, Database, ChangeHistory],
      useFactory: (redis: RedisConnection | null, database: Database, history: ChangeHistory) =>
        redis && new StoreSupervisor(redis, database, history),
    },
    {
      provide: SessionStore,
      inject: [RedisConnection, StoreSupervisor, Database, UserSessions, Settings],
      useFactory: (
        redis: RedisConnection | null,
        supervisor: StoreSupervisor | null,
        database: Database,
        userSessions: UserSessions,
        { sessionForm }: Settings,
      ) =>
        redis && supervisor
          ? new RedisSessionStore(redis, supervisor.gates, userSessions, sessionForm)
          : new DatabaseSessionStore(database, userSessions),
    },
    GateMetrics,
    SessionsService,
    SessionLimits,
    SessionTerms,
    ActiveSessions,
    OwnSessions,
    SessionChangeLog,
    SessionLinks,
    SessionChanges,
    PastSessions,
    SessionCleanup,
    Reauthentication,
    MainSourceGuard,
    LiveSessionGuard,
    CookieBoundSessionGuard,
    EnrolmentRefusal,
    EnrolmentGuard,
    PermissionGuard,
    PaymentsPermissionGuard,
    ReauthenticationGuard,
    WriteLimitGuard,
  ],
  exports: [
    // For WriteLimitGuard, which stands at handlers of other modules.
    RateLimitsModule,
    EnrolmentRefusal,
    EnrolmentGuard,
    SessionLinks,
    SessionStore,
    StoreSupervisor,
    UserSessions,
    SessionsService,
    SessionTerms,
    ActiveSessions,
    SessionChanges,
    PastSessions,
    SessionCleanup,
    Reauthentication,
    MainSourceGuard,
    LiveSessionGuard,
    CookieBoundSessionGuard,
    PermissionGuard,
    PaymentsPermissionGuard,
    ReauthenticationGuard,
    WriteLimitGuard,
  ],
})
export class SessionsModule {}
