import type { LoggerService } from '@nestjs/common'
import type { FastifyBaseLogger } from 'fastify'

/** Nest logs every module and route at start. */
const CHATTER = new Set([
  'InstanceLoader',
  'RouterExplorer',
  'RoutesResolver',
  'NestFactory',
  'NestApplication',
])

/** Nest's own log lines, written by the same logger as everything else. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: FastifyBaseLogger) {}

  log(message: unknown, context?: string): void {
    this.logger[CHATTER.has(context ?? '') ? 'debug' : 'info']({ context }, String(message))
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message))
  }

  error(message: unknown, ...details: unknown[]): void {
    this.logger.error({ context: details.at(-1) }, String(message))
  }

  fatal(message: unknown, context?: string): void {
    this.logger.fatal({ context }, String(message))
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message))
  }
}
