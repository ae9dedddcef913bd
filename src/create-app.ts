import 'reflect-metadata'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { AppModule } from './app.module.js'
import { ReauthenticationMethods } from './auth/reauthentication/reauthentication-methods.js'
import { Clock } from './clock/clock.js'
import type { Settings } from './config/settings.js'
import { OpenConnections } from './database/open-connections.js'
import { ProblemFilter } from './errors/problem.filter.js'
import { Edge } from './http/edge/edge.js'
import { limitConnections } from './http/edge/limits.js'
import type { LogDestination } from './http/edge/log.js'
import { RequestValidation } from './http/request-validation.js'
import { withLog } from './log/logger.js'
import { Metrics } from './metrics/metrics.js'
import { MetricsServer } from './metrics/metrics-server.js'
import { RequestMetrics } from './metrics/request-metrics.js'
import { createNestApplication } from './nest/create-nest-application.js'
import { EdgeAdapter } from './nest/edge-adapter.js'
import { StoreSupervisor } from './sessions/revocation/store-supervisor.js'
import { loadOpenTelemetry } from './tracing/load-open-telemetry.js'
import { Tracing } from './tracing/tracing.js'

/**
 * The whole service, ready to listen; it logs to `logTo` ({@link logOptions}). Throws when a store that it
 * needs is unreachable, and then leaves nothing open.
 */
export async function createApp(
  settings: Settings,
  clock = new Clock(),
  logTo?: LogDestination,
): Promise<NestFastifyApplication> {
  const requests = new RequestMetrics()
  const edge = new Edge(settings, requests)
  const server = Fastify(edge.serverOptions(logTo))
  for (const warning of settings.warnings) server.log.warn(warning)
  server.addHook('onListen', async () => {
    limitConnections(server.server, settings.operation.maxConnections, server.log)
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
    const app = await createNestApplication(root, EdgeAdapter.over(server), server.log)
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
    await app.get<StoreSupervisor | null>(StoreSupervisor)?.start()
    await app.get(MetricsServer).listen()
    return app
  } catch (error) {
    await app.close()
    throw error
  }
}
