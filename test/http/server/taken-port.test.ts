import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { eventually } from '../../support/eventually.js'
import { request } from '../../support/http-request.js'
import { freePort } from '../../support/processes/free-port.js'
import { Laptop } from '../../support/processes/laptop.js'
import { run } from '../../support/processes/run-program.js'
import { ServerFolder } from '../../support/processes/server-folder.js'
import { ServerProcess } from '../../support/processes/server-process.js'

const ROOT = join(__dirname, '../../..')
const PATIENCE_MS = 120_000

let folder: ServerFolder
let occupant: Server
let taken: number
beforeAll(async () => {
  folder = await ServerFolder.create('taken-port', 'TERM')
  taken = await freePort()
  occupant = createServer().listen(taken, 'localhost')
  await once(occupant, 'listening')
})
afterAll(async () => {
  occupant.close()
  await folder.remove()
})

it.each([
  ['PORT', (port: number) => String(port)],
  ['STRIPE_API_URL', (port: number) => `http://localhost:${port}`],
  ['SMTP_URL', (port: number) => `smtp://localhost:${port}`],
])('pages 20: npm start says in one line that the port of %s is taken', async (name, settingFor) => {
  const [port, sandbox, mail] = await Promise.all([freePort(), freePort(), freePort()])
  const { code, output, errors } = await run(
    'dist/joined/development.js',
    [],
    {
      NODE_ENV: 'development',
      LOG_LEVEL: 'warn',
      DATA_DIR: `${folder.path}/data-${name}`,
      PORT: String(port),
      STRIPE_API_URL: `http://localhost:${sandbox}`,
      SMTP_URL: `smtp://localhost:${mail}`,
      ALLOWED_ORIGINS: `http://127.0.0.1:${await freePort()}`,
      [name]: settingFor(taken),
    },
    60_000,
  )
  expect(code).toBe(1)
  expect(errors).toContain(`Port ${taken} at`)
  expect(errors).toContain('is in use: stop whatever listens there, or choose another')
  expect(`${output}${errors}`).not.toMatch(/^ {4}at /m)
})

it(
  'an example is beside the service that is running, and starts no other (P9)',
  async () => {
    const port = String(await freePort())
    const origin = `http://127.0.0.1:${port}`
    // It serves its own satellite at the first.
    const listed = `http://127.0.0.1:${await freePort()},${origin}`
    const laptop = await Laptop.start('dist/joined/development.js', [], { ALLOWED_ORIGINS: listed })
    const settings = { PORT: new URL(laptop.url).port, EXAMPLE_PORT: port }
    const example = await startExample(settings, async () => (await request(origin)).status === 200)
    try {
      const beside = `Beside the service that is running at ${laptop.url}`
      await eventually(() => example.logEnd().includes(beside), { what: beside })
      expect((await request(origin, { path: '/config.js' })).text).toContain(`"${laptop.url}"`)
    } finally {
      await example.stop()
      await laptop.stop()
    }
  },
  PATIENCE_MS,
)

it(
  'an example takes other ports and data of its own where something else is at those of its service (P9)',
  async () => {
    const settings = { PORT: String(taken), EXAMPLE_PORT: String(await freePort()) }
    const example = await startExample(settings, async terminal => {
      const [, url = ''] = /Main site {2}(\S+)/.exec(terminal) ?? []
      return url !== '' && (await request(url, { path: '/health/ready' })).status === 200
    })
    try {
      expect(example.logEnd()).toMatch(
        new RegExp(
          `^Port ${taken} is taken: the service of this example is at (\\d+), with its data in data/example-\\1$`,
          'm',
        ),
      )
    } finally {
      await example.stop()
    }
  },
  PATIENCE_MS,
)

/** `npm run example -- shop`, once it is ready. */
async function startExample(
  settings: Record<string, string>,
  isReady: (terminal: string) => Promise<boolean>,
): Promise<ServerProcess> {
  const folder = await ServerFolder.create('example', 'TERM')
  const assigned = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  return ServerProcess.start({
    command: 'env',
    args: ['--unset=NODE_ENV', ...assigned, process.execPath, join(ROOT, 'examples/run.mjs'), 'shop'],
    folder,
    isReady: async () => {
      const terminal = stripVTControlCharacters(await readFile(join(folder.path, 'server.log'), 'utf8'))
      return isReady(terminal).catch(() => false)
    },
    endSignal: 'SIGTERM',
  })
}
