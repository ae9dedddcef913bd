import { open, stat, unlink } from 'node:fs/promises'
import type { INestApplicationContext } from '@nestjs/common'
import { Argument, type Command } from 'commander'
import { AdoptionRefused, CustomerAdoption } from '../../billing/customer-adoption.js'
import { BillingQueue } from '../../billing/inbox.js'
import { BillingWorker } from '../../billing/worker.js'
import { atCommandLine } from '../../platform/audit/audit-event.js'
import { Settings } from '../../platform/config/settings.js'
import { pluralize } from '../../platform/log.js'
import { Clock } from '../../platform/time.js'
import { type CommandContext, requireNoFolder, withService } from '../command-context.js'
import { ExportConversion } from '../import/export-conversion.js'
import { EXPORT_FORMATS } from '../import/export-formats.js'
import { type ExportFormat, textIn } from '../import/export-records.js'
import { type ImportedCustomers, importUsers, type PaidAccount, summaryOf } from '../import/user-import.js'
import { OWN_ACCOUNTS, readUserMapping } from '../import/user-mapping.js'

const OWNER_ONLY = 0o600

interface ConvertOptions {
  readonly out: string
  readonly map?: string
  readonly with?: string
  readonly hashConfig?: string
}

/** `users:import` and `users:convert`. */
export function addImportCommands(program: Command, context: CommandContext): void {
  const { input, print, printError } = context

  program
    .command('users:import')
    .description(
      'import users with their password hashes; existing users are left alone, so it can be run again',
    )
    .argument('<file>', 'JSON lines (docs/operations/importing-users.md); - is standard input')
    .option('--dry-run', 'add no user; say what would be added and which lines are at fault')
    .action(async (file: string, { dryRun: isDryRun = false }: { dryRun?: boolean }) => {
      const run = (source: AsyncIterable<Uint8Array>) =>
        withService(context, async app => {
          const customers = new CustomersToLink(app)
          const counts = await importUsers(app, source, printError, { isDryRun, customers })
          if (customers.linked > 0) await app.get(BillingWorker).settled()
          return { counts, linked: customers.linked }
        })
      const { counts, linked } = await (file === '-' ? run(input) : withFile(file, run))
      print(`${isDryRun ? 'Dry run, nothing was changed. ' : ''}${summaryOf(counts, isDryRun)}`)
      if (linked > 0) print(`Linked to their Stripe customers: ${pluralize(linked, 'account')}`)
      if (counts.faults > 0) throw new Error('Fix the faulty lines and run it again')
    })

  program
    .command('users:convert')
    .description('turn the export of another system into a file for users:import (docs/moving.md)')
    .addArgument(new Argument('<system>').choices(Object.keys(EXPORT_FORMATS)))
    .argument('<files...>', 'the export; where it is in several files, all of them')
    .requiredOption('--out <file>', 'must not exist; contains password hashes, so delete it afterwards')
    .option('--map <file>', 'how accounts, roles and permissions are found (default: every user is an owner)')
    .option('--with <file>', 'a second export with what the first does not have (auth0, clerk)')
    .option('--hash-config <file>', 'parameters of the password hashes (firebase)')
    .action(async (system: string, files: string[], options: ConvertOptions) => {
      const lines = await convert(EXPORT_FORMATS[system] as ExportFormat, files, options, printError)
      for (const line of lines) print(line)
    })
}

/** Links accounts as `billing:adopt` does. */
class CustomersToLink implements ImportedCustomers {
  linked = 0

  constructor(private readonly app: INestApplicationContext) {}

  objection(paid: PaidAccount): Promise<string | null> {
    if (!this.app.get(Settings).stripe)
      return Promise.resolve('payments are off: it cannot be linked to a customer')
    return this.app.get(CustomerAdoption).objection(paid)
  }

  async link(paid: PaidAccount): Promise<string | null> {
    try {
      await this.app.get(CustomerAdoption).adopt(paid, atCommandLine(undefined))
    } catch (error) {
      if (error instanceof AdoptionRefused) return error.message
      throw error
    }
    await this.app.get(BillingQueue).add(paid.customerId)
    this.linked++
    return null
  }
}

/** Opens it first, so that a wrong name is refused before anything starts. */
async function withFile<T>(
  path: string,
  work: (source: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  await requireNoFolder(path)
  const file = await open(path)
  try {
    return await work(file.createReadStream())
  } finally {
    await file.close()
  }
}

/** Needs no service and no settings. */
async function convert(
  format: ExportFormat,
  users: readonly string[],
  options: ConvertOptions,
  reportLine: (sentence: string) => void,
): Promise<string[]> {
  for (const path of [...users, options.map, options.with, options.hashConfig])
    if (path !== undefined) await requireNoFolder(path)
  for (const path of users) await requireRegularFile(path)
  if (options.with && !format.join) throw new Error('This system has no second export: leave out --with')
  const mapping = options.map ? readUserMapping(await jsonFile(options.map)) : OWN_ACCOUNTS
  const hashConfig = options.hashConfig ? await jsonFile(options.hashConfig) : null
  const out = await open(options.out, 'wx', OWNER_ONLY)
  try {
    const write = async (line: string) => void (await out.write(`${line}\n`))
    const conversion = new ExportConversion(format, mapping, write, reportLine, new Clock())
    const report = await conversion.run({ users, others: options.with ?? null, hashConfig })
    return report.lines()
  } catch (error) {
    // Half a file would be in the way of the next try.
    await unlink(options.out)
    throw error
  } finally {
    await out.close()
  }
}

/** A pipe would be empty at the second reading. */
async function requireRegularFile(path: string): Promise<void> {
  if (!(await stat(path)).isFile()) throw new Error(`${path} must be a regular file: it is read three times`)
}

async function jsonFile(path: string): Promise<unknown> {
  const text = await textIn(path)
  try {
    return JSON.parse(text)
  } catch {
    // The message of JSON.parse quotes the file, which may contain a key.
    throw new Error(`${path} is not JSON`)
  }
}
