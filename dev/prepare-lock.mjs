import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Longer than any install or build: a lock this old belongs to a dead process whose pid has been reused.
const STALE_AFTER_MS = 15 * 60_000
const ASK_EVERY_MS = 100

/**
 * Waits until no other process is preparing this checkout, then takes its lock and returns a function that
 * releases it. Releasing is safe to repeat, and happens at the end of the process anyway. The lock of a
 * killed holder is taken over.
 */
export function holdLock(root) {
  const lock = lockOf(root)
  let hasTold = false
  while (!take(lock)) {
    const holder = holderOf(lock)
    if (holder === null) continue
    if (isStale(lock, holder)) {
      takeAway(lock, holder)
      continue
    }
    if (!hasTold) console.error(`Waiting for process ${holder}, which is preparing this checkout …`)
    hasTold = true
    sleep(ASK_EVERY_MS)
  }
  const release = () => takeAway(lock, process.pid)
  process.once('exit', release)
  return () => {
    process.off('exit', release)
    release()
  }
}

// Outside the checkout, because the install and the build remove folders that git ignores there.
function lockOf(root) {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16)
  return join(tmpdir(), `mainstay-prepare-${process.getuid?.() ?? 0}-${name}`)
}

// Renaming onto a non-empty folder fails, so the lock never exists without its holder's pid.
function take(lock) {
  const own = mkdtempSync(`${lock}-`)
  writeFileSync(join(own, 'pid'), String(process.pid))
  try {
    renameSync(own, lock)
    return true
  } catch (error) {
    rmSync(own, { recursive: true, force: true })
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false
    throw error
  }
}

// Null when the lock was released meanwhile.
function holderOf(lock) {
  try {
    return Number(readFileSync(join(lock, 'pid'), 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
}

function isStale(lock, pid) {
  const takenAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return Date.now() - takenAt > STALE_AFTER_MS || !isAlive(pid)
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

// Moved aside before it is removed: of two processes only one succeeds, and one that comes late and has moved
// a newer holder's lock puts it back.
function takeAway(lock, pid) {
  const aside = `${lock}.${process.pid}`
  try {
    renameSync(lock, aside)
  } catch (error) {
    if (error.code === 'ENOENT') return
    throw error
  }
  if (Number(readFileSync(join(aside, 'pid'), 'utf8')) === pid) rmSync(aside, { recursive: true })
  else renameSync(aside, lock)
}

function sleep(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
