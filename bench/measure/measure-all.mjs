import { MailOutbox } from '../../dist/dev/mail-outbox/mail-outbox.js'
import { serviceEnvironment } from '../contestants/service.mjs'
import { stopAll } from '../machine/stop-all.mjs'
import { startPostgres, startRedis } from '../machine/stores.mjs'
import { passwordHashes } from '../password-hashes.mjs'
import { report } from '../report.mjs'
import { seed } from '../seed.mjs'
import { measureImport } from './measure-import.mjs'
import { measureManySessions } from './measure-many-sessions.mjs'
import { measureSessionMemory } from './measure-memory.mjs'
import { measureProfiles } from './measure-profile.mjs'
import { measureServing } from './measure-serving.mjs'
import { measureProductionStart, measureStart } from './measure-start.mjs'

/** Measures everything and prints the report. Exit code 1 when a bar is missed; rejects when an answer was wrong. */
export async function measureAll() {
  const startedAt = performance.now()
  try {
    const [databaseUrl, redisUrl] = await step('stores', () =>
      Promise.all([startPostgres(), startRedis('redis')]),
    )
    const outbox = await MailOutbox.start({ port: 0 })
    const environment = serviceEnvironment({ databaseUrl, redisUrl, smtpUrl: outbox.smtpUrl })
    const seeded = await step('users, sessions, tokens', () => seed(environment))
    const memory = await step('memory of sessions', measureSessionMemory)
    const manySessions = await step('a user with 50 sessions', measureManySessions)
    const serving = await measureServing(environment, seeded, step)
    await stopAll(({ command }) => command === process.execPath)
    await outbox.stop()
    const profiles = await step('profiles', () => measureProfiles(environment, seeded))
    const userImport = await step('import of users', async () =>
      measureImport(environment, await passwordHashes(databaseUrl)),
    )
    const production = await step('starts of production', () =>
      measureProductionStart(environment, seeded.users),
    )
    await stopAll()
    const start = await step('starts', measureStart)
    const seconds = (performance.now() - startedAt) / 1000
    const { text, missed } = report({
      ...serving,
      memory,
      manySessions,
      userImport,
      profiles,
      start,
      production,
      seconds,
    })
    console.log(text)
    if (missed > 0) process.exitCode = 1
  } finally {
    await stopAll()
  }
}

/** Says what is going on, on standard error: standard output is the report alone. */
async function step(name, work) {
  const startedAt = performance.now()
  const result = await work()
  console.error(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}
