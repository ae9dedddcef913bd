import { setTimeout as sleep } from 'node:timers/promises'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { Settings } from './config/settings.js'
import { createApp } from './create-app.js'
import { Readiness } from './health/readiness.js'

/** Time for load balancers to see that we are not ready before the door closes. */
const DRAIN_MS = 2_000
/** What is still running then is cut off; orchestrators kill after 30 s or less. */
const DEADLINE_MS = 13_000

/**
 * Starts the service and stops it cleanly on SIGTERM or SIGINT, with exit code 0 within 15 s.
 * `prepare` runs before the first request is taken.
 */
export async function serve(
  settings: Settings,
  prepare: (app: NestFastifyApplication) => Promise<void> = async () => {},
): Promise<NestFastifyApplication> {
  const app = await createApp(settings)
  await prepare(app)
  await app.listen(settings.port, settings.host)
  stopOnSignals(app)
  return app
}

function stopOnSignals(app: NestFastifyApplication): void {
  let isStopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) return
    isStopping = true
    void drain(app, signal)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('uncaughtException', error => {
    app.getHttpAdapter().getInstance().log.fatal(error, 'uncaught exception')
    process.exitCode = 1
    stop('SIGTERM')
  })
}

async function drain(app: NestFastifyApplication, signal: NodeJS.Signals): Promise<void> {
  const { log } = app.getHttpAdapter().getInstance()
  log.info(`${signal}: stopping`)
  setTimeout(() => {
    log.error('Still busy at the deadline; stopping anyway')
    process.exit()
  }, DEADLINE_MS).unref()
  app.get(Readiness).stop()
  if (app.get(Settings).environment === 'production') await sleep(DRAIN_MS)
  await app.close()
  process.exit()
}
