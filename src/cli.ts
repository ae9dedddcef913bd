import 'reflect-metadata'
import { Logger } from '@nestjs/common'
import { runCommand } from './cli/run-command.js'

Logger.overrideLogger(['error', 'warn'])
process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  input: process.stdin,
  print: console.log,
  printError: console.error,
})
