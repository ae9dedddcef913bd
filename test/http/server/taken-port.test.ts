import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { freePort } from '../../support/processes/free-port.js'
import { run } from '../../support/processes/run-program.js'
import { ServerFolder } from '../../support/processes/server-folder.js'

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

it('an example says that a service is already running, and what to do (P9)', async () => {
  const { code, errors } = await run('examples/run.mjs', ['shop'], { PORT: String(taken) }, 60_000)
  expect(code).toBe(1)
  expect(errors).toBe(
    `A service is already running at port ${taken}, and examples start their own: stop it, or set PORT to a free port ` +
      'and DATA_DIR to another folder.\n',
  )
})
