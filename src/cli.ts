import 'reflect-metadata'
import { Logger } from '@nestjs/common'
import { CommandLogger, runCommand } from './cli/run.js'

Logger.overrideLogger(new CommandLogger(console.error))
process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  input: process.stdin,
  print: console.log,
  printError: console.error,
})
