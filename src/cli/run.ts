import type { LoggerService } from '@nestjs/common'
import { Command, CommanderError, type Option } from 'commander'
import { packageVersion } from '../platform/config/package-root.js'
import { ApiError, causeMessage } from '../platform/errors/api-error.js'
import { inOneLine } from '../platform/log.js'
import { startFailure } from '../serve.js'
import { asSessionHandle } from '../sessions/session.js'
import type { CommandContext } from './command-context.js'
import { addAccountCommands, addFactorCommands } from './commands/account-commands.js'
import { addAuditCommands } from './commands/audit-commands.js'
import { addBillingCommands } from './commands/billing-commands.js'
import { addImportCommands } from './commands/import-commands.js'
import { addKeyCommands } from './commands/key-commands.js'
import { addMailCommands } from './commands/mail-commands.js'
import { addOperatorCommands } from './commands/operator-commands.js'
import { addSatelliteCommands } from './commands/satellite-commands.js'
import { addSessionCommands } from './commands/session-commands.js'
import { addDoctorCommand } from './doctor/doctor.js'

/**
 * Runs the command that the arguments name, on the service's stores. Resolves to its exit code: 0 when it did
 * all that was asked, 1 when not, and the reason was printed. Never rejects.
 */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    await operatorProgram(context).parseAsync(withHandleLast(args), { from: 'user' })
    return 0
  } catch (error) {
    // Commander has explained it already.
    if (error instanceof CommanderError) return error.exitCode
    context.printError(explanationOf(error as Error))
    return 1
  }
}

/** One handle of a session in 64 begins with a hyphen, and is no option. */
function withHandleLast(args: readonly string[]): string[] {
  const isHandle = (arg: string) => arg.startsWith('-') && asSessionHandle(arg) !== null
  const handle = args.find(isHandle)
  return handle === undefined ? [...args] : [...args.filter(arg => arg !== handle), '--', handle]
}

/** All commands, none of them run yet. A command that fails throws, and so does one that commander refuses. */
export function operatorProgram(context: CommandContext): Command {
  // Commands inherit these from their program when they are added to it.
  const program = new OperatorCommand('mainstay-auth')
    .description('Command line for operators')
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: text => context.print(withoutLineEnd(text)),
      writeErr: text => context.printError(withoutLineEnd(text)),
    })
  addDoctorCommand(program, context)
  addAccountCommands(program, context)
  addImportCommands(program, context)
  addSessionCommands(program, context)
  addFactorCommands(program, context)
  addSatelliteCommands(program, context)
  addMailCommands(program, context)
  addOperatorCommands(program, context)
  addKeyCommands(program, context)
  addAuditCommands(program, context)
  addBillingCommands(program, context)
  return program
}

/** A refusal's own message is for the clients of the service: operators get what it does not say. */
function explanationOf(error: Error): string {
  if (!(error instanceof ApiError)) return error.message
  const { status, message, options } = error
  const faults = options.errors ?? []
  if (faults.length > 0) return faults.map(fault => fault.message).join('\n')
  const why = options.cause instanceof Error && status >= 500 ? inOneLine(causeMessage(error)) : null
  return why ?? message
}

function withoutLineEnd(text: string): string {
  return text.replace(/\n$/, '')
}

/** A command that names a mistyped option before what is missing because of it: `--emial` before `--email`. */
class OperatorCommand extends Command {
  override createCommand(name?: string): OperatorCommand {
    return new OperatorCommand(name)
  }

  /** Overrides what commander does when a required option is missing, before it looks for unknown ones. */
  missingMandatoryOptionValue(option: Option): void {
    const unknown = this.args.find(text => /^--?[^-]/.test(text))
    const { unknownOption, missingMandatoryOptionValue } = Command.prototype as unknown as Untyped
    if (unknown !== undefined) unknownOption.call(this, unknown)
    missingMandatoryOptionValue.call(this, option)
  }
}

/** What commander has without declaring it. Both end the command. */
interface Untyped {
  unknownOption(this: Command, flag: string): void
  missingMandatoryOptionValue(this: Command, option: Option): void
}

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
