import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger } from '@nestjs/common'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { createApp } from './app.js'
import { Readiness } from './health/health.controller.js'
import { SettingsError } from './platform/config/read-settings.js'
import { Settings } from './platform/config/settings.js'
import { Database } from './platform/database/database.js'
import { StartError } from './platform/errors/api-error.js'
import { NestLogger } from './platform/log.js'

/** After the drain, requests in progress get this long. Hardly any takes longer. */
const RESPONSE_MS = 8_000
/** The whole process gets this long, so that shutdown hooks can still store mails and audit rows. */
const FINISH_MS = 12_000
/**
 * Each would otherwise end the process at once: SIGHUP when a terminal closes, SIGQUIT from Ctrl-\ or a supervisor whose
 * programs take it for a graceful stop as nginx does, SIGUSR2 when a tool restarts programs.
 */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const

/**
 * Starts the service, and stops it on SIGTERM, SIGINT, SIGHUP, SIGQUIT or SIGUSR2 with exit code 0 within
 * DRAIN_SECONDS + 12 s. `prepare` runs before the first request.
 */
export async function serve(
  settings: Settings,
  prepare: (app: NestFastifyApplication) => Promise<void> = async () => {},
): Promise<NestFastifyApplication> {
  // Nest announces every module and route, and what fails is thrown.
  Logger.overrideLogger(false)
  const app = await createApp(settings)
  takeOverProcess(app)
  await prepare(app)
  await app.listen(settings.port, settings.host)
  stopOnSignals(app)
  return app
}

/** What is appropriate only in a process of its own. */
function takeOverProcess(app: NestFastifyApplication): void {
  Logger.overrideLogger(new NestLogger(app.getHttpAdapter().getInstance().log))
  app.get(Database).onLost(() => process.exit(1))
}

function stopOnSignals(app: NestFastifyApplication): void {
  let isStopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) return
    isStopping = true
    void drain(app, signal)
  }
  for (const signal of STOP_SIGNALS) process.on(signal, stop)
  process.on('uncaughtException', error => {
    app.getHttpAdapter().getInstance().log.fatal(error, 'uncaught exception')
    process.exitCode = 1
    stop('SIGTERM')
  })
}

async function drain(app: NestFastifyApplication, signal: NodeJS.Signals): Promise<void> {
  const { log } = app.getHttpAdapter().getInstance()
  const drainMs = app.get(Settings).operation.drainSeconds * 1000
  log.info(`${signal}: stopping`)
  setTimeout(() => {
    log.error('Still busy at the deadline; stopping anyway')
    process.exit()
  }, drainMs + FINISH_MS).unref()
  app.get(Readiness).stop()
  closeAfterResponses(app.getHttpServer())
  await sleep(drainMs)
  closeLingeringConnections(app)
  // Closes connections that have been idle throughout: load balancers no longer use them.
  await app.close()
  process.exit()
}

/**
 * While the server closes, Node no longer limits how long a request may take to arrive, or a response to be read:
 * one such connection would keep the shutdown hooks from running.
 */
function closeLingeringConnections(app: NestFastifyApplication): void {
  setTimeout(() => {
    app
      .getHttpAdapter()
      .getInstance()
      .log.warn('Closing connections that are still open after the shutdown grace period')
    app.getHttpServer().closeAllConnections()
  }, RESPONSE_MS).unref()
}

/**
 * From now on every response closes its connection, so that the next request goes elsewhere. Idle connections
 * stay open: closing one could break a request that is on its way.
 */
function closeAfterResponses(server: Server): void {
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'))
}

/** Of the operating system. */
interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string
  readonly port?: number
}

/**
 * What an operator sees when the start fails: one line for something they can fix, the error with its stack
 * for a bug.
 */
export function startFailure(error: unknown): unknown {
  if (error instanceof SettingsError || error instanceof StartError) return error.message
  const { code, syscall, message, address, port } = error as SystemError
  if (code === 'EADDRINUSE')
    return `Port ${port} at ${address} is in use: stop whatever listens there, or choose another (a second npm start needs its own DATA_DIR, and a PORT at least 100 away)`
  if (code === 'EACCES' && port) return `Port ${port} at ${address} may not be opened by this user`
  // It names the file: one that is missing, or a folder that may not be written to.
  return syscall === undefined ? error : message
}
