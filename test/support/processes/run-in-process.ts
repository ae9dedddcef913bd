import { Readable } from 'node:stream'
import { Logger } from '@nestjs/common'
import { CommandLogger, runCommand } from '../../sources.js'
import type { Ended } from './run-program.js'

/**
 * Runs a command of the command line with these settings and no others. In this process, because one of its own
 * takes two seconds to load everything; what the stores log is printed if LOG_LEVEL is set.
 */
export async function runInProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input = '',
): Promise<Ended> {
  // As src/cli.ts does.
  Logger.overrideLogger(process.env.LOG_LEVEL ? new CommandLogger(console.error) : false)
  const written = { output: '', errors: '' }
  try {
    const code = await runCommand(args, {
      environment,
      input: Readable.from([Buffer.from(input)]),
      print: line => {
        written.output += `${line}\n`
      },
      printError: line => {
        written.errors += `${line}\n`
      },
    })
    return { code, ...written }
  } finally {
    // A service of the same test goes on.
    Logger.overrideLogger(false)
  }
}
