// What was decided here, and why: docs/decisions/mainstay-runs-inside-another-program.md
import type { DynamicModule, LoggerService, Type } from '@nestjs/common'
import { ApplicationConfig, MetadataScanner, NestApplication, NestContainer, NestFactory } from '@nestjs/core'
import { Injector } from '@nestjs/core/injector/injector.js'
import { InstanceLoader } from '@nestjs/core/injector/instance-loader.js'
import { NoopGraphInspector } from '@nestjs/core/inspector/noop-graph-inspector.js'
import type { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js'
import { DependenciesScanner } from '@nestjs/core/scanner.js'
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify'
import { type Log, NestLogger } from '../log.js'
import { DirectRoutes, routesWithFilters } from './direct-routes.js'

class Announcements extends NestLogger {
  override log(message: unknown): void {
    this.debug(message, 'Nest')
  }
}

/** `autoFlushLogs` would print what another application has asked Nest's Logger to hold back. */
const OPTIONS = { bodyParser: false, abortOnError: false, autoFlushLogs: false }

/**
 * Does what `NestFactory.create` does, without its process-wide side effects: that one keeps the options of
 * the latest application for all of them, and announces every module and route to the one Logger that they
 * all share. Here the announcements go to `log`, at level debug.
 */
export async function createNestApplication(
  root: DynamicModule,
  adapter: FastifyAdapter,
  log: Log,
): Promise<NestFastifyApplication> {
  const announcements = new Announcements(log)
  const config = new ApplicationConfig()
  const container = new NestContainer(config, OPTIONS)
  container.setHttpAdapter(adapter)
  await adapter.init()
  const scanner = new DependenciesScanner(container, new MetadataScanner(), NoopGraphInspector, config)
  await scanner.scan(root as unknown as Type)
  const loader = new InstanceLoader(container, new Injector(), NoopGraphInspector, announcements)
  await loader.createInstancesOfDependencies()
  scanner.applyApplicationProviders()
  const app = new NestApplication(container, adapter, config, NoopGraphInspector, OPTIONS)
  announceTo(announcements, app)
  const { routerExplorer } = (app as unknown as Routes).routesResolver
  const executionContextCreator = new DirectRoutes(routerExplorer.executionContextCreator)
  Object.assign(routerExplorer, { executionContextCreator, routerProxy: routesWithFilters })
  return (NestFactory as unknown as AdapterProxies).createAdapterProxy(app, adapter)
}

function announceTo(logger: LoggerService, app: NestApplication): void {
  const { routesResolver } = app as unknown as Routes
  for (const part of [app, routesResolver, routesResolver.routerExplorer]) Object.assign(part, { logger })
}

// What Nest's types do not expose.
interface Routes {
  readonly routesResolver: { readonly routerExplorer: { executionContextCreator: RouterExecutionContext } }
}

interface AdapterProxies {
  createAdapterProxy(app: NestApplication, adapter: FastifyAdapter): NestFastifyApplication
}
