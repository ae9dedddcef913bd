// What was decided here, and why: docs/decisions/mainstay-runs-inside-another-program.md

import { AsyncLocalStorage } from 'node:async_hooks'
import { Injectable, type LoggerService, Logger as ProcessLogger } from '@nestjs/common'
import { LRUCache } from 'lru-cache'
import { Clock, secondsAfter } from './time.js'

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug'

/** Where the log lines of one service go: a pino logger, such as its Fastify's. */
export type Log = Readonly<Record<Level, (details: object, message: string) => void>>

const logOfService = new AsyncLocalStorage<Log>()

/** Runs `work`. Every {@link Logger} created in the course of it writes to `log` from then on. */
export function withLog<T>(log: Log, work: () => T): T {
  return logOfService.run(log, work)
}

/**
 * The log of one part of the service. Nest's own Logger is shared by the whole process, which may contain
 * the program's own Nest application and a second Mainstay. This one belongs to the service that was starting
 * when it was created, so create it together with its part, not during a request.
 */
export class Logger {
  private readonly lines: Log

  constructor(private readonly context: string) {
    this.lines = logOfService.getStore() ?? logOfProcess(context)
  }

  fatal(message: string): void {
    this.lines.fatal({ context: this.context }, message)
  }

  error(message: string): void {
    this.lines.error({ context: this.context }, message)
  }

  warn(message: string): void {
    this.lines.warn({ context: this.context }, message)
  }

  log(message: string): void {
    this.lines.info({ context: this.context }, message)
  }

  debug(message: string): void {
    this.lines.debug({ context: this.context }, message)
  }
}

/** Commands have no service; their log lines go where Nest's do. */
function logOfProcess(context: string): Log {
  const nest = new ProcessLogger(context)
  return {
    fatal: (_, message) => nest.fatal(message),
    error: (_, message) => nest.error(message),
    warn: (_, message) => nest.warn(message),
    info: (_, message) => nest.log(message),
    debug: (_, message) => nest.debug(message),
  }
}

/** Nest's own messages, written to the log of a service. */
export class NestLogger implements LoggerService {
  constructor(private readonly lines: Log) {}

  log(message: unknown, context?: string): void {
    this.lines.info({ context }, String(message))
  }

  warn(message: unknown, context?: string): void {
    this.lines.warn({ context }, String(message))
  }

  error(message: unknown, ...details: unknown[]): void {
    this.lines.error({ context: details.at(-1) }, String(message))
  }

  fatal(message: unknown, context?: string): void {
    this.lines.fatal({ context }, String(message))
  }

  debug(message: unknown, context?: string): void {
    this.lines.debug({ context }, String(message))
  }
}

const QUIET_SECONDS = 60 * 60
/** Far more than there are kinds: a few words of ours, each with one of the provider's prices. */
const MAX_KINDS = 1_000

interface Quiet {
  readonly until: Date
  heldBack: number
}

/** Log lines about what may happen thousands of times an hour; each process writes each kind once an hour. */
@Injectable()
export class HourlyLog {
  private readonly quiet = new LRUCache<string, Quiet>({ max: MAX_KINDS })

  constructor(private readonly clock: Clock) {}

  /**
   * Reports that something of this kind has happened `times` times. Calls `write` at most once an hour, with
   * the number since its previous call.
   */
  report(kind: string, times: number, write: (timesInAll: number) => void): void {
    const now = this.clock.now()
    const quiet = this.quiet.get(kind)
    if (quiet && now < quiet.until) {
      quiet.heldBack += times
      return
    }
    this.quiet.set(kind, { until: secondsAfter(now, QUIET_SECONDS), heldBack: 0 })
    write(times + (quiet?.heldBack ?? 0))
  }
}

/** What another server has said, on one line and {@link printable}. */
export function inOneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' '))
}

/** Without what would move a terminal's cursor or colour its lines. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\ufffd')
}

/** `1 line`, `2,000 lines`. */
export function pluralize(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}
