// What was decided here, and why: docs/decisions/sessions.md
import { Module } from '@nestjs/common'
import { ScheduleModule } from '@nestjs/schedule'
import { CorsModule } from '../cors/cors.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.module.js'
import { Settings } from '../platform/config/settings.js'
import { Database } from '../platform/database/database.js'
import { GeoIpModule } from '../platform/geoip.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limits.module.js'
import { RedisConnection, RedisModule } from '../platform/redis/redis.js'
import { TokensModule } from '../tokens/tokens.module.js'
import { ActiveSessionsController } from './active/active-sessions.controller.js'
import { ActiveSessions } from './active/active-sessions.js'
import { OwnSessions } from './active/own-sessions.js'
import { CookieBoundSessionGuard } from './guards/cookie-bound-session.guard.js'
import { EnrolmentGuard } from './guards/enrolment.guard.js'
import { EnrolmentRefusal } from './guards/enrolment-refusal.js'
import { LiveSessionGuard } from './guards/live-session.guard.js'
import { MainSourceGuard } from './guards/main-source.guard.js'
import { PaymentsPermissionGuard } from './guards/payments-permission.guard.js'
import { PermissionGuard } from './guards/permission.guard.js'
import { ReauthenticationGuard } from './guards/reauthentication.guard.js'
import { WriteLimitGuard } from './guards/write-limit.guard.js'
import { PastSessions } from './past-sessions.js'
import { Reauthentication } from './reauthentication.js'
import { ChangeHistory } from './revocation/change-history.js'
import { GateMetrics } from './revocation/gate-metrics.js'
import { SessionChangeLog } from './revocation/session-change-log.js'
import { SessionChanges } from './revocation/session-changes.js'
import { StoreSupervisor } from './revocation/store-supervisor.js'
import { SessionCleanup } from './session-cleanup.job.js'
import { SessionLinks } from './session-links.js'
import { SessionTerms } from './session-terms.js'
import { SessionLimits, SessionsService } from './sessions.service.js'
import { DatabaseSessionStore } from './stores/database.session-store.js'
import { RedisSessionStore } from './stores/redis.session-store.js'
import { SessionStore } from './stores/session-store.js'
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
