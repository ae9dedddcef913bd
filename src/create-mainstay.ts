import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { FastifyInstance } from 'fastify'
import { Clock } from './clock/clock.js'
import { settingsFrom } from './config/read-settings.js'
import type { GivenSettings } from './config/reading/given-settings.js'
import { createApp } from './create-app.js'
import { Readiness } from './health/readiness.js'
import type { LogDestination } from './http/edge/log.js'
import { Mount, requirePrefix } from './http/mount.js'

/** How long close() waits for requests in progress; our own take at most 10 s. */
const FINISH_MS = 12_000

export interface MainstayOptions {
  /**
   * The path under which Mainstay is mounted in the surrounding program, such as `/auth`. Omit it if that
   * program strips the path from the URL itself.
   */
  readonly prefix?: string
  /** Where log lines go, each a JSON object; standard output by default. */
  readonly log?: LogDestination
}

/** A Mainstay that runs inside another program. */
export interface Mainstay {
  /**
   * Serves a request of Node's HTTP server; call it before anything has read the body. A request whose path
   * is not under the prefix is passed to `next`; without `next` it is answered 404.
   */
  readonly handler: (request: IncomingMessage, response: ServerResponse, next?: () => void) => void
  /** Finishes requests in progress, then stops the jobs and closes the stores. Safe to repeat. */
  readonly close: () => Promise<void>
}

/**
 * Starts Mainstay inside another program. Resolves when it is ready to serve: its stores are reachable and up
 * to date. Throws a `SettingsError` that lists every fault in the settings, or an Error when a store is
 * unreachable; then nothing is left running. The environment is not read; to use it, pass
 * `{ ...process.env }`.
 */
export async function createMainstay(
  settings: GivenSettings,
  { prefix = '', log = process.stdout }: MainstayOptions = {},
): Promise<Mainstay> {
  requirePrefix(prefix)
  // Connections, and with them TLS, belong to the other program, and so do the paths beside ours.
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

/** Fastify prepares its router when it starts to listen, which it never does here. */
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
