import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { FastifyInstance } from 'fastify'
import { Clock } from './clock/clock.js'
import type { GivenSettings } from './config/given-settings.js'
import { settingsFrom } from './config/read-settings.js'
import { createApp } from './create-app.js'
import { Readiness } from './health/readiness.js'
import type { LogDestination } from './http/edge/log.js'
import { Mount, requirePrefix } from './http/mount.js'

/** Requests in progress have this long when it is closed; ours take 10 s at most. */
const FINISH_MS = 12_000

export interface MainstayOptions {
  /**
   * The path that Mainstay has in the program around it, such as `/auth`, unless that takes it off the URL
   * itself.
   */
  readonly prefix?: string
  /** Where the lines of its log go, each a JSON object; standard output unless told. */
  readonly log?: LogDestination
}

/** A Mainstay inside another program. */
export interface Mainstay {
  /**
   * Serves a request of Node's HTTP server, before anything has read its body. A request whose path is not
   * under the prefix is left to `next`; without `next` it is answered 404.
   */
  readonly handler: (request: IncomingMessage, response: ServerResponse, next?: () => void) => void
  /** Finishes requests in progress, then stops the jobs and closes the stores. Safe to repeat. */
  readonly close: () => Promise<void>
}

/**
 * Starts Mainstay inside another program. Resolves when it is ready to serve: its stores are within reach and
 * up to date. Throws a `SettingsError` with all faults of the settings, or an Error when a store is out of
 * reach; then nothing is left running. The environment is not read; to use it, pass `{ ...process.env }`.
 */
export async function createMainstay(
  settings: GivenSettings,
  { prefix = '', log = process.stdout }: MainstayOptions = {},
): Promise<Mainstay> {
  requirePrefix(prefix)
  // Connections, and with them TLS, are the other program's, and so are the paths beside ours.
  const app = await createApp({ ...settingsFrom(settings), tls: null, pages: [] }, new Clock(), log)
  const mount = new Mount(await readyServer(app), prefix)
  let closed: Promise<void> | undefined
  const close = async () => {
    app.get(Readiness).stop()
    await mount.close(FINISH_MS)
    await app.close()
  }
  return {
    handler: (request, response, next) => mount.handle(request, response, next),
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

/** Fastify makes its router ready when it begins to listen, which it never does here. */
async function readyServer(app: NestFastifyApplication): Promise<FastifyInstance> {
  const server: FastifyInstance = app.getHttpAdapter().getInstance()
  try {
    await server.ready()
    return server
  } catch (error) {
    await app.close()
    throw error
  }
}
