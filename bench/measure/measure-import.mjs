import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Child } from '../machine/child.mjs'
import { BOTH_CORES, FOLDER, ROOT } from '../machine/machine.mjs'
import { query } from '../machine/stores.mjs'

const USERS = 100_000
const USERS_AN_ACCOUNT = 10
const LOOK_EVERY_MS = 20

/** `users:import` of 100,000 users into PostgreSQL: users a second, and the most memory that the process ever had. */
export async function measureImport(environment, hashes) {
  const file = join(FOLDER, 'users.jsonl')
  await writeUsers(file, hashes)
  const before = await countUsers(environment)
  const child = await Child.start({
    name: 'import',
    command: process.execPath,
    args: ['--max-semi-space-size=4', 'dist/joined/cli.js', 'users:import', file],
    cwd: ROOT,
    env: environment,
    cores: BOTH_CORES,
    isReady: async () => true,
  })
  let peakBytes = 0
  while (!child.hasEnded) {
    peakBytes = Math.max(peakBytes, peakResidentBytes(child.process.pid))
    await sleep(LOOK_EVERY_MS)
  }
  const seconds = (performance.now() - child.startedAt) / 1000
  const added = (await countUsers(environment)) - before
  if (added !== USERS) throw new Error(`${added} users were added, not ${USERS}:\n${child.outputEnd()}`)
  return { perSecond: USERS / seconds, seconds, peakBytes }
}

async function writeUsers(file, hashes) {
  const stream = createWriteStream(file)
  for (let index = 0; index < USERS; index++) {
    const user = {
      email: `imported-${index}@elsewhere.example`,
      role: index % USERS_AN_ACCOUNT === 0 ? 'owner' : 'member',
      name: `Person ${index}`,
      passwordHash: hashes[index % hashes.length],
      account: `customer-${Math.floor(index / USERS_AN_ACCOUNT)}`,
    }
    if (!stream.write(`${JSON.stringify(user)}\n`)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'finish')
}

async function countUsers({ DATABASE_URL }) {
  const { rows } = await query(DATABASE_URL, 'select count(*)::int as count from users')
  return rows[0].count
}

/** The kernel's own high-water mark; 0 for a process that has just ended. */
function peakResidentBytes(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
