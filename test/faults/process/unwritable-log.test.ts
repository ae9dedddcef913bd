import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { BuiltServer } from '../../conformance/service/built-server.js'
import { request, type TestResponse } from '../../support/http-request.js'
import { anOwner, PASSWORD } from '../../support/people.js'
import { ServerFolder } from '../../support/processes/server-folder.js'
import { type BesideBuilt, startBesideBuilt } from './beside-built.js'

/** A pipe holds 64 KiB, about 200 of these lines; then whoever writes to it waits. */
const REQUESTS = 500
const PATIENCE_MS = 60_000

let beside: BesideBuilt
let email: string
beforeAll(async () => {
  beside = await startBesideBuilt()
  email = (await anOwner(beside.app)).email
}, PATIENCE_MS)
afterAll(() => beside?.stop())

it(
  'a log whose disk is full holds up nobody, not even the end of the service',
  async () => {
    const server = await startLoggingTo('/dev/full')
    try {
      expect(await login(server)).toMatchObject({ status: 200 })
      expect(await someAnswers(server)).toEqual(new Set([401]))
      expect(await login(server)).toMatchObject({ status: 200 })
      expect(await server.end()).toBe(0)
    } finally {
      await server.stop()
    }
  },
  PATIENCE_MS,
)

it(
  'a log that nobody reads any longer holds up nobody',
  async () => {
    const folder = await ServerFolder.create('log', 'KILL')
    const pipe = `${folder.path}/log`
    // It opens the pipe and never reads.
    const reader = spawn('sh', ['-c', 'mkfifo "$1" && exec sleep 600 <"$1"', 'sh', pipe], { stdio: 'ignore' })
    await once(reader, 'spawn')
    const server = await startLoggingTo(pipe)
    try {
      expect(await someAnswers(server)).toEqual(new Set([401]))
      expect(await login(server)).toMatchObject({ status: 200 })
    } finally {
      await server.stop()
      reader.kill('SIGKILL')
      await folder.remove()
    }
  },
  PATIENCE_MS,
)

async function startLoggingTo(file: string): Promise<BuiltServer> {
  return BuiltServer.start(await beside.environment({ LOG_LEVEL: 'info' }), process.cwd(), file)
}

function login({ url }: BuiltServer): Promise<TestResponse> {
  return request(url, {
    method: 'POST',
    path: '/api/login',
    body: { email, password: PASSWORD, source: 'satellite' },
  })
}

/** The statuses of many requests that each make a line of the log. */
async function someAnswers({ url }: BuiltServer): Promise<Set<number>> {
  const statuses = new Set<number>()
  for (let count = 0; count < REQUESTS; count++)
    statuses.add((await request(url, { path: '/api/data' })).status)
  return statuses
}
