import type { Command } from 'commander'
import type { AcceptedShard } from '../../sessions/revocation/loss-acceptance.js'
import { StoreSupervisor } from '../../sessions/revocation/store-supervisor.js'
import { type CommandContext, withService } from '../command-context.js'

const OUTCOMES: Readonly<Record<NonNullable<AcceptedShard['before']>, string>> = {
  complete: 'had all its data; nobody there has to log in again',
  incomplete: 'had lost data; whoever had a session there logs in again',
  foreign: 'had sessions of another installation; they are removed',
  ahead: 'was ahead of the database; whoever has a session that the database does not know logs in again',
}

/** `store:accept-loss`. */
export function addStoreCommands(program: Command, context: CommandContext): void {
  const { print } = context

  program
    .command('store:accept-loss')
    .description(
      'accept that the session store has lost its data; users who had a session there log in again',
    )
    .option(
      '--database-restored',
      'the database was restored, or has lost its last commits: sessions that it does not know end too',
    )
    .action(async ({ databaseRestored: isRestored = false }: { databaseRestored?: boolean }) => {
      const shards = await withService(context, async app => {
        const supervisor = app.get<StoreSupervisor | null>(StoreSupervisor)
        if (!supervisor) throw new Error('The sessions are in the database, so there is nothing to accept')
        const onWait = (undone: readonly AcceptedShard[]) => {
          for (const shard of undone) print(waitingFor(shard))
        }
        return supervisor.acceptLoss({ isRestored, onWait })
      })
      for (const shard of shards) print(describe(shard))
      if (shards.some(({ problem }) => problem !== null))
        throw new Error('Not accepted everywhere: run it again when every shard can be used')
      print('Accepted; running servers resume within seconds')
    })
}

function waitingFor({ shard, problem }: AcceptedShard): string {
  return `Waiting for up to a minute for ${shard}: ${problem}`
}

function describe({ shard, before, problem }: AcceptedShard): string {
  return problem === null && before !== null
    ? `${shard} ${OUTCOMES[before]}`
    : `${shard} is not done: ${problem}`
}
