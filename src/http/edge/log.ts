import type { FastifyServerOptions } from 'fastify'
import type { Settings } from '../../config/settings.js'

/** Never logged, even by mistake. The request's own line contains only what {@link logOptions} picks. */
const SECRET_PATHS = [
  'password',
  'accessToken',
  'sessionId',
  '*.password',
  '*.accessToken',
  '*.sessionId',
  'headers.authorization',
  'headers.cookie',
  '*.headers.authorization',
  '*.headers.cookie',
  '*.headers["x-session-id"]',
  '*.headers["set-cookie"]',
  '*.headers["stripe-signature"]',
]

const FOR_PEOPLE = {
  transport: { target: 'pino-pretty', options: { translateTime: 'HH:MM:ss', ignore: 'pid,hostname' } },
}

/** Takes the lines of the log, each with its line break. */
export interface LogDestination {
  write(line: string): void
}

/**
 * JSON lines to `destination`. Without one they go to standard output, and are made for people in
 * development. The path is logged without its query.
 */
export function logOptions(
  { logLevel, environment }: Settings,
  destination?: LogDestination,
): FastifyServerOptions['logger'] {
  return {
    level: logLevel,
    redact: SECRET_PATHS,
    serializers: {
      req: ({ id, method, url, ip }) => ({ id, method, path: url?.split('?', 1)[0]?.slice(0, 200), ip }),
      res: ({ statusCode }) => ({ statusCode }),
    },
    ...(destination ? { stream: destination } : environment === 'development' && FOR_PEOPLE),
  }
}
