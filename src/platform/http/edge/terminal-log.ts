import { styleText } from 'node:util'
import type { Settings } from '../../config/settings.js'
import type { LogDestination } from './log.js'

/** What the log of a developer's terminal reads of a line. */
interface Entry {
  readonly time: number
  readonly msg: string
  readonly context?: string
  readonly req?: { readonly method: string; readonly path: string }
  readonly res?: { readonly statusCode: number }
  readonly milliseconds?: number
  readonly err?: unknown
}

type RequestEntry = Entry & Required<Pick<Entry, 'req' | 'res' | 'milliseconds'>>

/** What a browser loads along with a page. */
const ASSET = /\.(?:css|gif|ico|js|map|png|svg|webp|woff2?)$/
/** Nobody reads them in a line. */
const LEFT_OUT = 'pid,hostname,context,req,res,milliseconds'

/**
 * The log of development: `GET /api/team 200 12 ms` for each request, any other line with its details below it. Assets
 * and preflights that went well are left out, except at `debug`, so that they drown nothing. Each line is written at once,
 * in its order among whatever else the process prints.
 */
export async function terminalLog(
  { logLevel }: Pick<Settings, 'logLevel'>,
  output: NodeJS.WritableStream = process.stdout,
): Promise<LogDestination> {
  // Loaded in development alone.
  const { prettyFactory } = await import('pino-pretty')
  const pretty = prettyFactory({
    translateTime: 'SYS:HH:MM:ss',
    ignore: LEFT_OUT,
    messageFormat: entry => messageOf(entry as unknown as Entry),
  })
  return {
    write: line => {
      const entry: Entry = JSON.parse(line)
      if (!isOfRequest(entry) || entry.err) output.write(pretty(entry))
      else if (logLevel === 'debug' || !isUnremarkable(entry)) output.write(`${requestLine(entry)}\n`)
    },
  }
}

function isOfRequest(entry: Entry): entry is RequestEntry {
  return entry.req !== undefined && entry.res !== undefined
}

function isUnremarkable({ req: { method, path }, res: { statusCode } }: RequestEntry): boolean {
  return statusCode < 400 && (method === 'OPTIONS' || ASSET.test(path))
}

function requestLine({ time, req, res, milliseconds }: RequestEntry): string {
  const at = styleText('dim', new Date(time).toTimeString().slice(0, 8))
  const status = styleText(colorOf(res.statusCode), String(res.statusCode))
  return `${at} ${req.method} ${req.path} ${status} ${Math.round(milliseconds)} ms`
}

function colorOf(status: number) {
  if (status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}

/** With the part of the service that says it, and the request that it is about. */
function messageOf({ context, msg, req }: Entry): string {
  return `${context ? `${context}: ` : ''}${msg}${req ? ` (${req.method} ${req.path})` : ''}`
}
