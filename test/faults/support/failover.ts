import { redisCli } from '../../support/redis/redis-cli.js'
import type { RedisServer } from '../../support/redis/redis-server.js'

/** Noticing a dead master takes up to 2 s in the tests' groups, leaving one that hangs 5 s, a busy machine the rest. */
export const FAILOVER_MS = 25_000

/** How a master fails. One that hangs keeps its connections open. */
export const FAILURES = [
  { what: 'dies', signal: 'SIGKILL' },
  { what: 'hangs', signal: 'SIGSTOP' },
] as const

/**
 * What `change` writes is lost: the replica does not hear of it before the master fails and it takes over. That is not
 * before the end of `meanwhile`.
 */
export async function losing(
  change: () => Promise<void>,
  master: RedisServer,
  replica: RedisServer,
  signal: NodeJS.Signals,
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  await replica.kill('SIGSTOP')
  // Closes the link and forgets what was still to be sent over it.
  await redisCli(master.port, 'CLIENT', 'KILL', 'TYPE', 'replica')
  await change()
  await master.kill(signal)
  await meanwhile()
  await replica.kill('SIGCONT')
}
