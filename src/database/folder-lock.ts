import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { link, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const TIMES = {
  /** A restart under `--watch` overlaps for a moment; longer than this it is another instance. */
  patienceMs: 5_000,
  /** The holder writes its lock again so often: in another container its process id says nothing. */
  heartbeatMs: 1_000,
  /** A holder elsewhere that has not done so for so long is dead. Well above what the embedded database keeps a process busy. */
  deadAfterMs: 10_000,
}

/**
 * Keeps every other process out of `folder` (PGlite takes no lock of its own), also those of other containers and machines; the
 * lock of a dead process is taken over, at once on this machine, after ten seconds elsewhere. `onLost` hears that another
 * process has it now, as after this one was frozen for long: it must not write any more.
 */
export async function lockFolder(
  folder: string,
  onLost: () => void = () => {},
  times = TIMES,
): Promise<() => Promise<void>> {
  const file = join(folder, 'lock')
  const startedAt = performance.now()
  while (!(await take(file, times.deadAfterMs))) {
    const patienceMs = times.patienceMs + ((await isElsewhere(file)) ? times.deadAfterMs : 0)
    if (performance.now() > startedAt + patienceMs)
      throw new Error(
        `The database in ${folder} is in use by another process; stop it or set another DATA_DIR`,
      )
    await sleep(100)
  }
  const lock = await open(file, 'r+')
  const beat = async () => {
    // By the clock of the disk, and of our lock: another's that has taken its place is not touched.
    await lock.write(OURS, 0)
    if ((await readFile(file, 'utf8')) !== OURS) onLost()
  }
  // A disk that fails now and then: the next one may do better.
  const heartbeat = setInterval(() => void beat().catch(() => {}), times.heartbeatMs).unref()
  return async () => {
    clearInterval(heartbeat)
    await lock.close()
    if ((await readFile(file, 'utf8').catch(() => '')) === OURS) await rm(file, { force: true })
  }
}

async function isElsewhere(file: string): Promise<boolean> {
  return placeOf(await readFile(file, 'utf8').catch(() => '')) !== OUR_PLACE
}

async function take(file: string, deadAfterMs: number): Promise<boolean> {
  const mine = `${file}.${randomUUID()}`
  await writeFile(mine, OURS)
  try {
    return (await create(mine, file)) || (await takeOver(mine, file, deadAfterMs))
  } finally {
    await rm(mine, { force: true })
  }
}

/** In one step with what is in it: a lock that is empty for a moment looks like that of a dead process. */
async function create(mine: string, file: string): Promise<boolean> {
  try {
    await link(mine, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/** Only who holds the lock on a dead process's succession may replace its lock, or the slower of two heirs would replace that of the quicker. */
async function takeOver(mine: string, file: string, deadAfterMs: number): Promise<boolean> {
  const holder = await readFile(file, 'utf8').catch(() => null)
  if (holder === null || (await isAlive(holder, () => ageOf(file, mine), deadAfterMs))) return false
  const succession = `${file}.${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`
  if (!(await take(succession, deadAfterMs))) return false
  try {
    if ((await readFile(file, 'utf8').catch(() => null)) !== holder) return false
    await rename(mine, file)
    return true
  } finally {
    await rm(succession, { force: true })
  }
}

async function isAlive(holder: string, ageMs: () => Promise<number>, deadAfterMs: number): Promise<boolean> {
  if (placeOf(holder) !== OUR_PLACE) return (await ageMs()) < deadAfterMs
  const [id, startTime] = holder.split(' ')
  const pid = Number(id)
  return pid > 0 && pid !== process.pid && identity(pid) === `${id} ${startTime}`
}

/** By how much `mine`, which was written a moment ago, is newer: both by the clock of the disk. */
async function ageOf(file: string, mine: string): Promise<number> {
  const [lock, ours] = await Promise.all([stat(file).catch(() => null), stat(mine)])
  return lock ? ours.mtimeMs - lock.mtimeMs : 0
}

/** The third word of what a lock holds; a lock of before there was one is of this machine. */
function placeOf(holder: string): string {
  return holder.split(' ')[2] ?? OUR_PLACE
}

/** Process id and start time: ids are used again, after a crash in a container always the same one. */
function identity(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return isRunning(pid) ? `${pid} ?` : ''
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Where process ids mean the same: a boot of a machine, and in it a container. */
function place(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

const OUR_PLACE = place()
/** A random word too: a container that was started again has the process ids of the one before. */
const OURS = `${identity(process.pid)} ${OUR_PLACE} ${randomUUID()}`
