import 'reflect-metadata'
import { Logger } from '@nestjs/common'
import { CommandLogger } from './cli/command-logger.js'
import { runCommand } from './cli/run-command.js'

Logger.overrideLogger(new CommandLogger(console.error))
process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  input: process.stdin,
  print: console.log,
  printError: console.error,
})
