import 'reflect-metadata'
import { Command } from 'commander'
import { addAccountCommands } from './cli/account-commands.js'
import { addAuditCommands } from './cli/audit-commands.js'
import { addBillingCommands } from './cli/billing-commands.js'
import { addBillingStatusCommands } from './cli/billing-status-commands.js'
import { addKeyCommands } from './cli/key-commands.js'
import { addSessionCommands } from './cli/session-commands.js'
import { addStoreCommands } from './cli/store-commands.js'
import { addSurplusCommands } from './cli/surplus-commands.js'
import type { ApiError } from './errors/api-error.js'

const program = new Command('mainstay').description('Command line for operators')
addAccountCommands(program)
addSessionCommands(program)
addStoreCommands(program)
addKeyCommands(program)
addAuditCommands(program)
addBillingCommands(program)
addSurplusCommands(program)
addBillingStatusCommands(program)

try {
  await program.parseAsync()
} catch (error) {
  console.error(explanationOf(error as Error))
  process.exitCode = 1
}

/** The running servers apply a change that the store did not take. */
function explanationOf(error: Error): string {
  const { message, code } = error as Partial<ApiError> & Error
  if (code !== 'SESSION_STORE_UNAVAILABLE') return message
  return `${message}. What you asked for is recorded; running servers make it as soon as the store takes it`
}
