import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A restart under `--watch` overlaps for a moment; longer than this it is another instance. */
const PATIENCE_MS = 5_000

/** Keeps every other process out of `folder` (PGlite takes no lock of its own); the lock of a dead process is taken over. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'lock')
  const deadline = performance.now() + PATIENCE_MS
  while (!(await take(file))) {
    if (performance.now() > deadline)
      throw new Error(
        `The database in ${folder} is in use by another process; stop it or set another DATA_DIR`,
      )
    await sleep(100)
  }
  return () => rm(file, { force: true })
}

async function take(file: string): Promise<boolean> {
  const mine = `${file}.${randomUUID()}`
  await writeFile(mine, identity(process.pid))
  try {
    return (await create(mine, file)) || (await takeOver(mine, file))
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
async function takeOver(mine: string, file: string): Promise<boolean> {
  const holder = await readFile(file, 'utf8').catch(() => null)
  if (holder === null || isAlive(holder)) return false
  const succession = `${file}.${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`
  if (!(await take(succession))) return false
  try {
    if ((await readFile(file, 'utf8').catch(() => null)) !== holder) return false
    await rename(mine, file)
    return true
  } finally {
    await rm(succession, { force: true })
  }
}

function isAlive(holder: string): boolean {
  const pid = Number(holder.split(' ')[0])
  return pid > 0 && pid !== process.pid && identity(pid) === holder
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
