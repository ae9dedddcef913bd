import type { Command } from 'commander'
import { AuditVerifier, type Checkpoint } from '../audit/audit-verifier.js'
import { type CommandContext, withService } from './command-context.js'

/** `audit:verify`. */
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
      if (faults > 0) throw new Error(`${faults} faults in the audit log`)
    })
}

function notedHead(hash?: string, at?: string): Checkpoint | undefined {
  if (hash === undefined && at === undefined) return undefined
  if (!/^[0-9a-f]{64}$/.test(hash ?? '')) throw new Error('--head takes the 64 hex digits of a head')
  if (at === undefined) return { hash: hash as string }
  if (!/^[1-9]\d{0,14}$/.test(at)) throw new Error('--at takes the position of a head')
  return { hash: hash as string, position: Number(at) }
}
