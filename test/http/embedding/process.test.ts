import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { freePort } from '../../support/processes/free-port.js'
import { run } from '../../support/processes/run-program.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { dataFolder, settingsIn } from './a-mainstay.js'

const BUILT = pathToFileURL(join(__dirname, '../../../dist/src/embed.js')).href
/**
 * Starts Mainstay with each of the settings in turn, and says how that went. Whatever it leaves behind would keep the
 * process running, or the folder locked.
 */
const PROGRAM = `
  import { createServer } from 'node:http'
  import pg from '${import.meta.resolve('pg')}'
  const { Logger } = await import('${import.meta.resolve('@nestjs/common')}')
  const { createMainstay } = await import('${BUILT}')
  // Nest would announce our modules, and say why they did not start.
  Logger.overrideLogger(false)
  const before = look()
  const outcomes = []
  for (const settings of JSON.parse(process.argv[2])) outcomes.push(await outcome(settings))
  console.log(JSON.stringify({ outcomes, before, after: look() }))

  async function outcome(settings) {
    try {
      const mainstay = await createMainstay(settings, { log: { write() {} } })
      const server = createServer(mainstay.handler).listen(0, '127.0.0.1')
      await new Promise(resolve => server.once('listening', resolve))
      const answer = await fetch('http://127.0.0.1:' + server.address().port + '/api/login', {
        method: 'POST', headers: { 'Content-Type': 'application/json', Connection: 'close' },
        body: JSON.stringify({ email: 'nobody@example.com', password: 'x', source: 'main' }),
      })
      server.close()
      await mainstay.close()
      return answer.status
    } catch (error) {
      return error.message
    }
  }

  function look() {
    return {
      listeners: process.eventNames().map(name => [String(name), process.listenerCount(name)]),
      prototypes: [Object, Array, String, Promise, Function, Map].map(({ prototype }) => Reflect.ownKeys(prototype).length),
      postgresTypes: [20, 1184].map(type => String(pg.types.getTypeParser(type)('1'))),
      environment: { ...process.env },
      folder: process.cwd(),
    }
  }
`

let folder: Awaited<ReturnType<typeof dataFolder>>
let redis: RedisServer
beforeAll(async () => {
  ;[folder, redis] = await Promise.all([dataFolder(), startRedis()])
})
afterAll(async () => {
  await redis.stop()
  await folder.remove()
})

it('embedding: changes nothing in the process, leaves nothing running when it cannot start, and lets the process end', async () => {
  const settings = { ...settingsIn(folder.path), SESSION_STORE_URL: redis.url }
  const starts = [
    { ...settings, DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/x` },
    {
      ...{ ...settings, NODE_ENV: 'production' },
      ...{ JWT_KEYS_FILE: '/nowhere/keys.json', SECRETS_KEYS_FILE: '/nowhere/keys.json' },
    },
    { ...settings, SECRETS_KEYS_FILE: '/dev/null' },
    { ...settings, PLANS_FILE: '/nowhere/plans.json' },
    settings,
  ]
  const program = join(folder.path, 'program.mjs')
  await writeFile(program, PROGRAM)
  const { code, output, errors } = await run(program, [JSON.stringify(starts)], {}, 60_000)
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  const { outcomes, before, after } = JSON.parse(output)
  expect(outcomes).toEqual([
    expect.stringContaining('ECONNREFUSED'),
    expect.stringContaining('/nowhere/keys.json'),
    expect.stringContaining('SECRETS_KEYS_FILE /dev/null cannot be used'),
    expect.stringContaining('/nowhere/plans.json'),
    401,
  ])
  expect(after).toEqual(before)
})
