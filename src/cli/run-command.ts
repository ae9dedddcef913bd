import { type Command, CommanderError } from 'commander'
import { packageVersion } from '../platform/config/package-root.js'
import { ApiError, causeMessage } from '../platform/errors/api-error.js'
import { inOneLine } from '../platform/log.js'
import type { CommandContext } from './command-context.js'
import { addAccountCommands, addSessionCommands } from './commands/account-commands.js'
import { addAuditCommands } from './commands/audit-commands.js'
import { addBillingCommands } from './commands/billing-commands.js'
import { addBillingStatusCommands } from './commands/billing-status-commands.js'
import { addFactorCommands } from './commands/factor-commands.js'
import { addImportCommands } from './commands/import-commands.js'
import { addKeyCommands } from './commands/key-commands.js'
import { addMailCommands } from './commands/mail-commands.js'
import { addOperatorCommands } from './commands/operator-commands.js'
import { addSatelliteCommands } from './commands/satellite-commands.js'
import { addSecretCommands } from './commands/secret-commands.js'
import { addStoreCommands } from './commands/store-commands.js'
import { addDoctorCommand } from './doctor/doctor.js'
import { OperatorCommand } from './operator-command.js'

/**
 * Runs the command that the arguments name, on the service's stores. Resolves to its exit code: 0 when it did
 * all that was asked, 1 when not, and the reason was printed. Never rejects.
 */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    await programFor(context).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has explained it already.
    if (error instanceof CommanderError) return error.exitCode
    context.printError(explanationOf(error as Error))
    return 1
  }
}

function programFor(context: CommandContext): Command {
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
  addStoreCommands(program, context)
  addKeyCommands(program, context)
  addSecretCommands(program, context)
  addAuditCommands(program, context)
  addBillingCommands(program, context)
  addBillingStatusCommands(program, context)
  return program
}

/** A refusal's own message is for the clients of the service: operators get what it does not say. */
function explanationOf(error: Error): string {
  if (!(error instanceof ApiError)) return error.message
  const { code, status, message, options } = error
  const faults = options.errors ?? []
  if (faults.length > 0) return faults.map(fault => fault.message).join('\n')
  const why = options.cause instanceof Error && status >= 500 ? inOneLine(causeMessage(error)) : null
  if (code !== 'SESSION_STORE_UNAVAILABLE') return why ?? message
  // It does not have to be tried again.
  return `${why ?? 'The session store does not answer'}. Your change is recorded; running servers apply it as soon as the store accepts it`
}

function withoutLineEnd(text: string): string {
  return text.replace(/\n$/, '')
}
