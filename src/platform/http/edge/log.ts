import type { FastifyServerOptions } from 'fastify'
import { destination } from 'pino'
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

/** Lines that cannot be written yet are buffered up to this size, in bytes; further lines are lost. */
const MAX_WAITING_BYTES = 1_000_000

/** Receives the lines of the log, each with its line break. */
export interface LogDestination {
  write(line: string): void
}

/**
 * JSON lines to `logTo`, or to standard output without it. The path is logged without its query.
 */
export function logOptions(
  { logLevel }: Settings,
  logTo: LogDestination = standardOutput(),
): FastifyServerOptions['logger'] {
  return {
    level: logLevel,
    redact: SECRET_PATHS,
    serializers: {
      req: ({ id, method, url, ip }) => ({ id, method, path: url?.split('?', 1)[0]?.slice(0, 200), ip }),
      res: ({ statusCode }) => ({ statusCode }),
    },
    stream: logTo,
  }
}

let processOutput: LogDestination | undefined

/** One for the process. */
function standardOutput(): LogDestination {
  processOutput ??= nonBlockingOutput()
  return processOutput
}

/** Nothing ever waits for it: neither for a full disk nor for a reader that has stopped. */
function nonBlockingOutput(): LogDestination {
  const output = destination({ fd: 1, sync: false, maxLength: MAX_WAITING_BYTES })
  const flush = output.flushSync.bind(output)
  let isFailing = false
  let lost = 0
  output.on('error', () => {
    isFailing = true
  })
  output.on('drop', () => {
    lost++
  })
  output.on('write', () => {
    isFailing = false
    if (lost === 0) return
    const time = Date.now()
    output.write(`${JSON.stringify({ level: 40, time, msg: `${lost} lines before this one were lost` })}\n`)
    lost = 0
  })
  // Called at exit, and would retry forever what has just failed.
  output.flushSync = () => {
    if (!isFailing) flush()
  }
  return output
}
