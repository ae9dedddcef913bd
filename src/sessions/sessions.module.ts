// What was decided here, and why: docs/decisions/README.md, "Tokens and sessions"
import { Module } from '@nestjs/common'
import { ScheduleModule } from '@nestjs/schedule'
import { CorsModule } from '../cors/cors.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import { Database } from '../platform/database/database.js'
import { GeoIpModule } from '../platform/geoip.js'
import { Metrics } from '../platform/metrics.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limiter.js'
import { RedisConnection, RedisModule } from '../platform/redis/redis.js'
import { TokensModule } from '../tokens/tokens.module.js'
import { ActiveSessionsController } from './active-sessions.controller.js'
import { ActiveSessions, OwnSessions } from './active-sessions.js'
import { ChangeFeed } from './change-feed.js'
import { SessionChanges } from './changes.js'
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
import { SessionStore } from './session-store.js'
import { PastSessions, SessionLinks, SessionsService, SessionTerms } from './sessions.js'

const SHARED = [
  SessionsService,
  SessionTerms,
  ActiveSessions,
  SessionLinks,
  SessionChanges,
  PastSessions,
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
]

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
    {
      // Null where nothing is copied.
      provide: ChangeFeed,
      inject: [RedisConnection, Database, Settings],
      useFactory: (redis: RedisConnection | null, database: Database, settings: Settings) =>
        redis && new ChangeFeed(database, settings.copiesWithoutDatabaseSeconds),
    },
    {
      provide: SessionStore,
      inject: [RedisConnection, ChangeFeed, Database, SessionTerms, Settings, Metrics],
      useFactory: (
        redis: RedisConnection | null,
        feed: ChangeFeed | null,
        database: Database,
        terms: SessionTerms,
        { operation }: Settings,
        metrics: Metrics,
      ) => {
        const atOnce = Math.max(1, Math.floor(operation.databasePoolSize / 2))
        return redis && feed
          ? new RedisSessionStore(database, atOnce, terms, redis, feed, metrics)
          : new DatabaseSessionStore(database, atOnce, terms)
      },
    },
    ...SHARED,
    OwnSessions,
    SessionCleanup,
  ],
  exports: [
    ...SHARED,
    SessionStore,
    ChangeFeed,
    // For WriteLimitGuard, which stands at handlers of other modules.
    RateLimitsModule,
  ],
})
export class SessionsModule {}
