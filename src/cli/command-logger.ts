import type { LoggerService } from '@nestjs/common'
import { startFailure } from '../serve.js'
import type { CommandContext } from './command-context.js'

/**
 * Warnings and errors of the service's parts while a command runs, apart from its answer. Nest logs why it cannot start,
 * with a stack; where an operator can fix that, the command itself says it in a line.
 */
export class CommandLogger implements LoggerService {
  constructor(private readonly printError: CommandContext['printError']) {}

  log(): void {}

  warn(message: unknown, ...rest: readonly unknown[]): void {
    this.print('Warning', message, rest)
  }

  error(message: unknown, ...rest: readonly unknown[]): void {
    if (!(message instanceof Error)) this.print('Error', message, rest)
    else if (startFailure(message) === message) this.print('Error', message.stack, rest)
  }

  fatal(message: unknown, ...rest: readonly unknown[]): void {
    this.print('Error', message, rest)
  }

  /** The last argument is the part that says it. */
  private print(level: string, message: unknown, rest: readonly unknown[]): void {
    this.printError(`${level} (${rest.at(-1)}): ${message}`)
  }
}
