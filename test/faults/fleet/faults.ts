import { setTimeout as sleep } from 'node:timers/promises'
import { redisCli } from '../../support/redis/redis-cli.js'
import type { Random } from '../support/random.js'
import type { Fleet } from './fleet.js'
import { holdCommits } from './network/held-commits.js'
import type { Replica } from './replica.js'
import { folderOf, removeData, type Shard, takeOver } from './shard.js'

export interface Scene {
  readonly fleet: Fleet
  readonly struck: Shard
  /** The process that is asked for the change. */
  readonly maker: Replica
  readonly random: Random
  /** Asks the maker once, and notes it if the service says that it is done. */
  readonly makeChange: () => Promise<void>
  /** The change is in the database, whatever was answered; resolves when all replicas that are up go by it. */
  readonly reachesAll: () => Promise<void>
}

export interface Fault {
  readonly name: string
  /** Whether Redis may lose a deletion that it has acknowledged. The others know of the change a moment later then. */
  readonly forgets?: true
  /** For how long the database may be away, in seconds; 0 by default. */
  readonly awaySeconds?: number
  /** The shard of the session that the change is about, or one where its user has another. Without it either. */
  readonly strikes?: 'own' | 'other'
  /** Makes the change somewhere in the middle; when it resolves everything runs again. */
  happen(scene: Scene): Promise<void>
}

/** How long things stay broken, at most. */
const BROKEN_MS = 1_500

/** Here somebody has to be asked who can be killed. */
export const KILLED_MAKER = 'maker killed after the commit'

export const FAULTS: readonly Fault[] = [
  { name: 'newest writes of its shard lost', strikes: 'own', forgets: true, happen: loseNewestWrites },
  { name: 'newest writes of another shard lost', strikes: 'other', forgets: true, happen: loseNewestWrites },
  { name: 'shard emptied', happen: emptyShard },
  { name: 'shard restored', forgets: true, happen: restoreShard },
  { name: KILLED_MAKER, happen: killMaker },
  { name: 'connection cut', happen: cutConnections },
  { name: 'master hangs', forgets: true, happen: hang },
  { name: 'database cut off', awaySeconds: BROKEN_MS / 1_000, happen: cutDatabase },
]

/** The replica does not hear of the change before it takes over. The old master hangs meanwhile, or has crashed. */
async function loseNewestWrites({ struck, makeChange, random }: Scene): Promise<void> {
  const { master, replica } = await struck.roles()
  await replica.kill('SIGSTOP')
  // Closes the link and forgets what was still to be sent over it.
  await redisCli(master.port, 'CLIENT', 'KILL', 'TYPE', 'replica')
  await makeChange()
  const hangs = random.below(2) === 0
  await master.kill(hangs ? 'SIGSTOP' : 'SIGKILL')
  await replica.kill('SIGCONT')
  await takeOver(replica)
  await sleep(random.below(BROKEN_MS))
  await (hangs ? master.kill('SIGCONT') : master.restart())
}

/** By a command, or because the master starts without a file before its replica notices. */
async function emptyShard({ struck, makeChange, random }: Scene): Promise<void> {
  const { master } = await struck.roles()
  await makeChange()
  if (random.below(2) === 0) {
    await redisCli(master.port, 'FLUSHALL')
    return
  }
  const folder = await folderOf(master)
  await master.kill('SIGKILL')
  await removeData(folder)
  await master.restart()
}

/** Both nodes fail, and the master is started from a file of before the change. */
async function restoreShard({ struck, makeChange }: Scene): Promise<void> {
  const { master, replica } = await struck.roles()
  await redisCli(master.port, 'SAVE')
  await makeChange()
  const replicaFolder = await folderOf(replica)
  await Promise.all([replica.kill('SIGKILL'), master.kill('SIGKILL')])
  await removeData(replicaFolder)
  await master.restart()
  await replica.restart()
}

/** It has committed the change and dies before it has told Redis; nobody but the database knows. */
async function killMaker({ fleet, maker, makeChange, reachesAll }: Scene): Promise<void> {
  const held = await holdCommits(fleet.database)
  const change = makeChange().catch(() => {})
  try {
    await held.someoneWaits()
    maker.wires.cut(maker.redisPorts)
  } finally {
    await held.release()
  }
  await held.committed()
  await maker.kill()
  await change
  maker.wires.mend()
  await reachesAll()
  await maker.restart()
}

/** Of one process or of all, to one shard or to all, for a moment or longer, before or after the change. */
async function cutConnections({ fleet, struck, maker, makeChange, random }: Scene): Promise<void> {
  const cut = random.below(2) === 0 ? [maker] : fleet.replicas
  const ports = random.below(3) === 0 ? maker.redisPorts : struck.ports
  const isBefore = random.below(2) === 0
  if (!isBefore) await makeChange()
  for (const { wires } of cut) wires.cut(ports)
  if (isBefore) await makeChange()
  await sleep(random.below(2) * random.below(BROKEN_MS))
  for (const { wires } of cut) wires.mend()
}

/** Of one process or of all, for a moment. */
async function cutDatabase({ fleet, maker, makeChange, random }: Scene): Promise<void> {
  const cut = random.below(2) === 0 ? [random.oneOf(fleet.replicas)] : fleet.replicas
  const isBefore = random.below(2) === 0
  if (!isBefore) await makeChange()
  for (const { wires } of cut) wires.cut([maker.databasePort])
  await Promise.all([sleep(random.below(BROKEN_MS)), isBefore && makeChange()])
  for (const { wires } of cut) wires.mend()
}

/** For a moment, or until its replica has taken over; then it goes on as if nothing had been. */
async function hang({ struck, makeChange, random }: Scene): Promise<void> {
  const { master, replica } = await struck.roles()
  const order = random.below(3)
  if (order === 0) await makeChange()
  await master.kill('SIGSTOP')
  if (order === 1) await makeChange()
  if (random.below(2) === 0) {
    await sleep(random.below(BROKEN_MS))
    if (order === 2) await makeChange()
  } else {
    await takeOver(replica)
    // With the new master, while the old one still has the session.
    if (order === 2) await makeChange()
  }
  await master.kill('SIGCONT')
}
