import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals'
import { httpsSettings } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { freePort } from '../../support/processes/free-port.js'
import { ServerFolder } from '../../support/processes/server-folder.js'
import { ServerProcess } from '../../support/processes/server-process.js'
import { slow } from '../../support/tiers.js'

const ROOT = join(__dirname, '../../..')
let folder: ServerFolder
let data: string
let port: number
let server: ServerProcess | undefined
beforeAll(async () => {
  folder = await ServerFolder.create('development-https', 'TERM')
  data = join(folder.path, 'data')
  port = await freePort()
})
afterEach(() => server?.stop())
afterAll(() => folder.remove())

slow(
  'npm start with HTTPS=on serves the main site, payments and the satellite over https (integration 2)',
  async () => {
    server = await start({ HTTPS: 'on' })
    const terminal = server.logEnd()
    expect(terminal).toContain(`Main site  ${main()} `)
    expect(terminal).toContain(`Satellite  ${satellite()} `)
    expect(terminal).toContain(join(data, 'localhost-cert.pem'))
    for (const site of [main(), satellite()])
      expect(await ask(site, '/', { accept: 'text/html' })).toMatchObject({
        status: 200,
        // It would apply to every port of localhost.
        headers: expect.not.objectContaining({ 'strict-transport-security': expect.anything() }),
      })

    const login = await ask(main(), '/api/login', {}, JSON.stringify(OWNER))
    const cookie = login.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const authorization = `Bearer ${login.json().accessToken}`
    const headers = { cookie, authorization }
    expect((await ask(main(), '/api/refresh', headers, '')).status).toBe(200)

    const { checkoutUrl } = (await ask(main(), '/api/subscription/create', headers, '{}')).json()
    await fetch(`${checkoutUrl}/pay`, { method: 'POST', redirect: 'manual' })
    await eventually(
      async () => (await ask(main(), '/api/subscription', headers)).json().status === 'active',
      {
        what: 'the webhook over https',
      },
    )
  },
  120_000,
)

slow(
  'serves the satellite beside itself with a certificate of its own, never at its own port (integration 3)',
  async () => {
    await httpsSettings({ HTTPS: 'on', DATA_DIR: data })
    server = await start({
      TLS_CERT_FILE: join(data, 'localhost-cert.pem'),
      TLS_KEY_FILE: join(data, 'localhost-key.pem'),
      PUBLIC_URL: main(),
      MAIN_ORIGIN: main(),
    })
    expect(server.logEnd()).toContain(`Satellite  ${satellite()} `)
  },
  120_000,
)

it('keeps the certificate, whose key nobody else can read, and what the environment says (integration 2)', async () => {
  const environment = {
    HTTPS: 'on',
    NODE_ENV: 'development',
    DATA_DIR: join(folder.path, 'other'),
    PORT: '4000',
  }
  const { TLS_CERT_FILE: file = '', TLS_KEY_FILE: key = '', ...addresses } = await httpsSettings(environment)
  expect(addresses).toEqual({ PUBLIC_URL: 'https://localhost:4000', MAIN_ORIGIN: 'https://localhost:4000' })
  expect(statSync(key).mode & 0o077).toBe(0)
  const made = readFileSync(file, 'utf8')
  const again = await httpsSettings({ ...environment, MAIN_ORIGIN: 'https://main.test' })
  expect(again).not.toHaveProperty('MAIN_ORIGIN')
  expect(readFileSync(file, 'utf8')).toBe(made)
  await expect(httpsSettings({ HTTPS: 'yes' })).rejects.toThrow('HTTPS is "yes": it must be on or off')
  expect(await httpsSettings({})).toEqual({})
})

const OWNER = { email: 'owner@example.com', password: 'correct horse battery staple', source: 'main' }
const main = () => `https://localhost:${port}`
const satellite = () => `https://127.0.0.1:${port + 1}`

function start(settings: Record<string, string>): Promise<ServerProcess> {
  const environment = { NODE_ENV: 'development', PORT: port, DATA_DIR: data, LOG_LEVEL: 'warn', ...settings }
  const assigned = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  return ServerProcess.start({
    command: 'env',
    args: [...assigned, process.execPath, join(ROOT, 'dist/joined/development.js')],
    folder,
    isReady: async () => (await ask(main(), '/health/ready')).status === 200,
    endSignal: 'SIGTERM',
  })
}

/** The certificate is trusted, and nothing else is. */
async function ask(origin: string, path: string, headers: Record<string, string> = {}, body?: string) {
  const asked = request(`${origin}${path}`, {
    ca: readFileSync(join(data, 'localhost-cert.pem')),
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    agent: false,
  }).end(body)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const answer = await text(response)
  return { status: response.statusCode, headers: response.headers, json: () => JSON.parse(answer) }
}
