import 'reflect-metadata'
import { type DynamicModule, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { AccountModule } from './account/account.module.js'
import { AuditModule } from './audit/audit.module.js'
import { AuthModule } from './auth/auth.module.js'
import { ReauthenticationMethods } from './auth/reauthentication.js'
import { PaymentsModule } from './billing/billing.module.js'
import { CorsModule } from './cors/cors.module.js'
import { EnrolmentModule } from './enrolment/enrolment.module.js'
import { HealthModule } from './health/health.module.js'
import { MailModule } from './mail/mail.module.js'
import { OperatorsModule } from './operators/operators.module.js'
import { PagesModule } from './pages/pages.module.js'
import { SettingsError } from './platform/config/read-settings.js'
import { type Settings, SettingsModule } from './platform/config/settings.js'
import { OpenConnections } from './platform/database/connection.js'
import { DatabaseModule } from './platform/database/database.module.js'
import { ProblemFilter } from './platform/errors/problem.filter.js'
import { Edge } from './platform/http/edge/edge.js'
import { limitConnections } from './platform/http/edge/limits.js'
import type { LogDestination } from './platform/http/edge/log.js'
import { terminalLog } from './platform/http/edge/terminal-log.js'
import { RequestValidation } from './platform/http/validation.js'
import { JobsModule } from './platform/jobs.js'
import { withLog } from './platform/log.js'
import { Metrics, MetricsModule, MetricsServer, RequestMetrics } from './platform/metrics.js'
import { LinksModule } from './platform/one-time-tokens.js'
import { RateLimitsModule } from './platform/rate-limits/rate-limiter.js'
import { SecretsModule } from './platform/secrets/secrets.js'
import { Clock, ClockModule } from './platform/time.js'
import { Tracing, TracingModule } from './platform/tracing.js'
import { SatellitesModule } from './satellites/satellites.module.js'
import { ChangeFeed } from './sessions/change-feed.js'
import { SessionsModule } from './sessions/sessions.module.js'
import { TeamModule } from './team/team.module.js'
import { TokensModule } from './tokens/tokens.module.js'
import { UsersModule } from './users/users.module.js'

@Module({})
export class AppModule {
  /** The whole service. Tools that never listen omit the last three. */
  static with(
    settings: Settings,
    clock: Clock,
    connections = new OpenConnections(),
    metrics = new Metrics(),
    tracing = new Tracing(),
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SettingsModule.with(settings),
        ClockModule.with(clock),
        MetricsModule.with(metrics),
        TracingModule.with(tracing),
        DatabaseModule.with(connections),
        JobsModule,
        RateLimitsModule,
        MailModule,
        LinksModule,
        CorsModule,
        SecretsModule,
        TokensModule,
        SessionsModule,
        UsersModule,
        AuthModule,
        EnrolmentModule,
        SatellitesModule,
        TeamModule,
        PaymentsModule.with(settings),
        AccountModule,
        AuditModule,
        HealthModule,
        PagesModule,
        OperatorsModule.with(settings),
      ],
    }
  }
}

/** The edge reads bodies, and `autoFlushLogs` would print what a host has asked Nest's Logger to hold back. */
const NEST_OPTIONS = { bodyParser: false, abortOnError: false, autoFlushLogs: false }

/**
 * The edge sets the error handler before the first route. Nest sets its own after the last one, which Fastify would not
 * use for what fails before a handler.
 */
class EdgeAdapter extends FastifyAdapter {
  override setErrorHandler() {
    return this.getInstance()
  }
}

/**
 * The whole service, ready to listen; it logs to `logTo`, or else to standard output: JSON lines, in development those of
 * {@link terminalLog}. Throws when a store that it needs is unreachable, and then leaves nothing open.
 */
export async function createApp(
  settings: Settings,
  clock = new Clock(),
  logTo?: LogDestination,
): Promise<NestFastifyApplication> {
  const requests = new RequestMetrics()
  const edge = new Edge(settings, requests)
  const isInTerminal = !logTo && settings.environment === 'development'
  const server = Fastify(edge.serverOptions(isInTerminal ? await terminalLog(settings) : logTo))
  for (const warning of settings.warnings) server.log.warn(warning)
  server.addHook('onListen', async () => {
    limitConnections(server.server, settings, server.log)
  })
  const tracing = await createTracing(server, settings)
  await edge.prepare(server)
  const metrics = new Metrics()
  requests.declareIn(metrics)
  return withLog(server.log, () => startApp(server, settings, clock, { metrics, tracing }))
}

async function startApp(
  server: FastifyInstance,
  settings: Settings,
  clock: Clock,
  { metrics, tracing }: { metrics: Metrics; tracing: Tracing },
): Promise<NestFastifyApplication> {
  const connections = new OpenConnections()
  try {
    const root = AppModule.with(settings, clock, connections, metrics, tracing)
    const app = await NestFactory.create<NestFastifyApplication>(root, new EdgeAdapter(server), NEST_OPTIONS)
    app.useGlobalFilters(new ProblemFilter(app.get(ReauthenticationMethods)))
    app.useGlobalPipes(new RequestValidation())
    return await initialize(app)
  } catch (error) {
    await connections.close()
    await tracing.onApplicationShutdown()
    throw error
  }
}

/** OpenTelemetry's packages are loaded only where tracing is enabled. */
async function createTracing(
  server: FastifyInstance,
  { operation: { tracesUrl } }: Settings,
): Promise<Tracing> {
  if (!tracesUrl) return new Tracing()
  const { traceWithOpenTelemetry } = await loadOpenTelemetry()
  return traceWithOpenTelemetry(server, tracesUrl)
}

async function initialize(app: NestFastifyApplication): Promise<NestFastifyApplication> {
  try {
    await app.init()
    await app.get<ChangeFeed | null>(ChangeFeed)?.start()
    await app.get(MetricsServer).listen()
    return app
  } catch (error) {
    await app.close()
    throw error
  }
}

/** The module that needs OpenTelemetry's packages. Throws a {@link SettingsError} where they are not installed. */
export async function loadOpenTelemetry() {
  try {
    return await import('./platform/open-telemetry.js')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new SettingsError([
      'OTEL_EXPORTER_OTLP_ENDPOINT needs packages that are not installed: see Traces in docs/operations/watching.md',
    ])
  }
}
