import type { INestApplicationContext } from '@nestjs/common'
import { type Command, Option } from 'commander'
import { eq } from 'drizzle-orm'
import { AuditExport, EXPORT_FORMATS, type ExportFormat } from '../../audit/export.js'
import { AuditVerifier, type Checkpoint } from '../../audit/verifier.js'
import { atCommandLine } from '../../platform/audit/audit-event.js'
import { Database } from '../../platform/database/database.js'
import { auditLog } from '../../platform/database/schema/audit.js'
import { pluralize } from '../../platform/log.js'
import { asInstant } from '../../platform/time.js'
import { Accounts } from '../../users/accounts.js'
import { type CommandContext, type NamedAccount, namedAccount, withService } from '../command-context.js'

interface ExportOptions extends NamedAccount {
  readonly format: ExportFormat
  readonly from?: Date
  readonly to?: Date
}

/** `audit:verify` and `audit:export`. */
export function addAuditCommands(program: Command, context: CommandContext): void {
  program
    .command('audit:verify')
    .description(
      'check the audit log against its seals, and print the head of the chain (keep a copy elsewhere)',
    )
    .option('--head <hash>', 'a head noted earlier, which must be in the chain')
    .option('--at <position>', 'the position of that head')
    .action(async ({ head, at }: { head?: string; at?: string }) => {
      const noted = notedHead(head, at)
      const {
        sealed,
        head: last,
        faults,
      } = await withService(context, app => app.get(AuditVerifier).verify(context.print, noted))
      context.print(`${sealed} rows are sealed; head ${last.hash} at ${last.position}`)
      if (faults > 0) throw new Error(`${pluralize(faults, 'fault')} in the audit log`)
    })

  program
    .command('audit:export')
    .description('print the audit log, of all accounts or of one, a line of JSON for each row, oldest first')
    .addOption(
      new Option('--format <format>', 'our own JSON lines, or OCSF events')
        .choices(EXPORT_FORMATS)
        .default('jsonl'),
    )
    .option('--account <id>', 'only the rows of this account')
    .option('--owner <email>', 'only the rows of the account of this user')
    .option('--from <time>', 'not before this time, such as 2026-11-21T10:00:00Z', asTime)
    .option('--to <time>', 'before this time', asTime)
    .action((options: ExportOptions) => withService(context, app => exportLog(app, options, context)))
}

async function exportLog(
  app: INestApplicationContext,
  { format, from, to, ...whose }: ExportOptions,
  { print }: CommandContext,
): Promise<void> {
  const accountId = await namedAccount(app, whose, id => isKnown(app, id))
  const filter = { ...(from && { from }), ...(to && { to }) }
  const actor = { ...atCommandLine(undefined), ...(accountId && { accountId }) }
  const pieces = await app.get(AuditExport).start(actor, { accountId, filter, format })
  for await (const piece of pieces) print(piece.replace(/\n$/, ''))
}

/** Whether there is such an account, or was: the rows of one that has been deleted stay. */
async function isKnown(app: INestApplicationContext, accountId: string): Promise<boolean> {
  if (await app.get(Accounts).find(accountId)) return true
  const rows = await app
    .get(Database)
    .run(db =>
      db.select({ id: auditLog.id }).from(auditLog).where(eq(auditLog.accountId, accountId)).limit(1),
    )
  return rows.length > 0
}

function asTime(text: string): Date {
  const time = asInstant(text)
  if (!time) throw new Error(`${text} is not a time such as 2026-11-21T10:00:00Z`)
  return time
}

function notedHead(hash?: string, at?: string): Checkpoint | undefined {
  if (hash === undefined && at === undefined) return undefined
  if (!/^[0-9a-f]{64}$/.test(hash ?? '')) throw new Error('--head takes the 64 hex digits of a head')
  if (at === undefined) return { hash: hash as string }
  if (!/^[1-9]\d{0,14}$/.test(at)) throw new Error('--at takes the position of a head')
  return { hash: hash as string, position: Number(at) }
}
