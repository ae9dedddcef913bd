import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { link, open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../errors/api-error.js'

const TIMES = {
  /** With `--watch`, two processes overlap for a moment at a restart; a longer overlap is another instance. */
  patienceMs: 5_000,
  /** How often the holder rewrites its lock: in another container its process id means nothing. */
  heartbeatMs: 1_000,
  /**
   * A remote holder that has not rewritten it for this long is dead. Well above the time for which the
   * embedded database blocks a process.
   */
  deadAfterMs: 10_000,
}

/** The locks that this process has, or is waiting for. */
const RESERVED = new Set<string>()

/**
 * Keeps other processes out of `folder`, in other containers and machines too (PGlite takes no lock). The lock of
 * a dead process is taken over, at once on this machine, after ten seconds elsewhere. `onLost` is called when
 * another process has taken it, for example after this one was frozen: it must not write any longer.
 */
export async function lockFolder(
  folder: string,
  onLost: () => void = () => {},
  times = TIMES,
): Promise<() => Promise<void>> {
  const file = join(await realpath(folder), 'lock')
  const startedAt = performance.now()
  await reserve(file, startedAt + times.patienceMs)
  try {
    return await lockFile(file, startedAt, onLost, times)
  } catch (error) {
    RESERVED.delete(file)
    throw error
  }
}

/** Waits for its turn in this process: the lock itself tells processes apart, not two services in one. */
async function reserve(file: string, until: number): Promise<void> {
  while (RESERVED.has(file)) {
    if (performance.now() > until)
      throw new StartError(
        `The database in ${dirname(file)} is in use by another Mainstay of this process; set another DATA_DIR`,
      )
    await sleep(100)
  }
  RESERVED.add(file)
}

async function lockFile(
  file: string,
  startedAt: number,
  onLost: () => void,
  times: typeof TIMES,
): Promise<() => Promise<void>> {
  // The last try begins after the wait: on a busy machine an earlier one can take long, and still be too early.
  for (let triedAt = startedAt; !(await take(file, times.deadAfterMs)); triedAt = performance.now()) {
    const patienceMs = times.patienceMs + ((await isElsewhere(file)) ? times.deadAfterMs : 0)
    if (triedAt > startedAt + patienceMs)
      throw new StartError(
        `The database in ${dirname(file)} is in use by another process; stop it or set another DATA_DIR`,
      )
    await sleep(100)
  }
  const lock = await open(file, 'r+')
  const beat = async () => {
    // By the disk's clock, and to our own lock only; one that has replaced it is left alone.
    await lock.write(OURS, 0)
    if ((await readFile(file, 'utf8')) !== OURS) onLost()
  }
  // The disk may fail now and then; the next write may succeed.
  const heartbeat = setInterval(() => void beat().catch(() => {}), times.heartbeatMs).unref()
  return async () => {
    clearInterval(heartbeat)
    await lock.close()
    if ((await readFile(file, 'utf8').catch(() => '')) === OURS) await rm(file, { force: true })
    RESERVED.delete(file)
  }
}

async function isElsewhere(file: string): Promise<boolean> {
  return placeOf(await readFile(file, 'utf8').catch(() => '')) !== OUR_HOST
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

/** Together with its content: a lock that is empty for a moment looks like a dead process's. */
async function create(mine: string, file: string): Promise<boolean> {
  try {
    await link(mine, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/**
 * The holder of the takeover lock may replace a dead process's lock; otherwise the slower of two
 * waiters would replace the quicker one's.
 */
async function takeOver(mine: string, file: string, deadAfterMs: number): Promise<boolean> {
  const holder = await readFile(file, 'utf8').catch(() => null)
  if (holder === null || (await isAlive(holder, () => ageOf(file, mine), deadAfterMs))) return false
  const takeoverLock = `${file}.${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`
  if (!(await take(takeoverLock, deadAfterMs))) return false
  try {
    if ((await readFile(file, 'utf8').catch(() => null)) !== holder) return false
    await rename(mine, file)
    return true
  } finally {
    await rm(takeoverLock, { force: true })
  }
}

async function isAlive(holder: string, ageMs: () => Promise<number>, deadAfterMs: number): Promise<boolean> {
  if (placeOf(holder) !== OUR_HOST) return (await ageMs()) < deadAfterMs
  const [id, startTime] = holder.split(' ')
  const pid = Number(id)
  return pid > 0 && pid !== process.pid && identity(pid) === `${id} ${startTime}`
}

/** By how much `mine`, written just now, is newer; both by the disk's clock. */
async function ageOf(file: string, mine: string): Promise<number> {
  const [lock, ours] = await Promise.all([stat(file).catch(() => null), stat(mine)])
  return lock ? ours.mtimeMs - lock.mtimeMs : 0
}

/** The third word of a lock; without one, the lock is of this machine. */
function placeOf(holder: string): string {
  return holder.split(' ')[2] ?? OUR_HOST
}

/**
 * Process id and start time, because ids are reused, and are always the same after a crash in a container.
 */
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

/** The scope of process ids: a boot of a machine, and a container in it. */
function place(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

const OUR_HOST = place()

/** With a random word, because a restarted container has the same process ids. */
const OURS = `${identity(process.pid)} ${OUR_HOST} ${randomUUID()}`
