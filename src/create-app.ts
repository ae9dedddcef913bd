import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { AppModule } from './app.module.js'
import { Clock } from './clock/clock.js'
import type { Settings } from './config/settings.js'
import { ProblemFilter } from './errors/problem.filter.js'
import { prepareEdge } from './http/edge/edge.js'
import { limitConnections } from './http/edge/limits.js'
import { NestLogger } from './http/edge/nest-logger.js'
import { serverOptions } from './http/edge/server-options.js'
import { RequestValidation } from './http/request-validation.js'
import { StoreSupervisor } from './sessions/revocation/store-supervisor.js'

class EdgeAdapter extends FastifyAdapter {
  /**
   * Leaves out the hooks that the adapter runs for every request: CORS, security headers, versions, CSRF,
   * refusals while closing and middleware, none of which we use from Nest.
   */
  static over(server: FastifyInstance): EdgeAdapter {
    const { addHook } = server
    const adapter = new EdgeAdapter(Object.assign(server, { addHook: () => server, skipMiddie: true }))
    server.addHook = addHook
    return adapter
  }

  /**
   * Nest installs Fastify's error handler after the routes, which then use Fastify's default for failures
   * before a handler. The edge installs ours before the first route, so Nest's would come too late and is
   * left out.
   */
  override setErrorHandler() {
    return this.getInstance()
  }
}

/** The whole service, ready to listen. Throws when a store that it needs is out of reach. */
export async function createApp(settings: Settings, clock = new Clock()): Promise<NestFastifyApplication> {
  const server = Fastify(serverOptions(settings))
  for (const warning of settings.warnings) server.log.warn(warning)
  await prepareEdge(server)
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(settings, clock),
    EdgeAdapter.over(server),
    {
      logger: new NestLogger(server.log),
      bodyParser: false,
      abortOnError: false,
    },
  )
  limitConnections(app.getHttpServer(), settings.operation.maxConnections, server.log)
  app.useGlobalFilters(new ProblemFilter())
  app.useGlobalPipes(new RequestValidation())
  await app.init()
  await app.get<StoreSupervisor | null>(StoreSupervisor)?.start()
  return app
}
