import { readFileSync } from 'node:fs'
import { open, readFile, rm } from 'node:fs/promises'
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
  try {
    const handle = await open(file, 'wx')
    await handle.writeFile(identity(process.pid))
    await handle.close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const holder = await readFile(file, 'utf8').catch(() => '')
    if (!isAlive(holder)) await rm(file, { force: true })
    return false
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
