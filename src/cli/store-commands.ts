import type { Command } from 'commander'
import { StoreSupervisor } from '../sessions/revocation/store-supervisor.js'
import { withService } from './service.js'

/** `store:accept-loss`. */
export function addStoreCommands(program: Command): void {
  program
    .command('store:accept-loss')
    .description('go on with a session store that lost its data; whoever had a session there logs in again')
    .action(async () => {
      await withService(async app => {
        const supervisor = app.get<StoreSupervisor | null>(StoreSupervisor)
        if (!supervisor) throw new Error('The sessions are in the database, which has lost nothing')
        await supervisor.acceptLoss()
      })
      console.log('Accepted; running servers serve again within seconds')
    })
}
