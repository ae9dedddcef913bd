import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'

const run = promisify(execFile)
const SCRIPT = resolve('deploy/helm/mainstay/files/keys-secret.mjs')
/** Stands in for the command line: writes what it was asked for, or fails. */
const CLI = `
import { appendFileSync } from 'node:fs'
if (process.argv[2] === 'fail') process.exit(3)
console.log('trusts', process.env.NODE_EXTRA_CA_CERTS)
appendFileSync(process.argv[2].startsWith('keys') ? process.env.JWT_KEYS_FILE : process.env.SECRETS_KEYS_FILE, process.argv[2])`

interface Secret {
  metadata: { name: string; resourceVersion?: string }
  data: Record<string, string>
}

describe('the job of the chart that changes the keys', () => {
  let folder: string
  let server: Server
  let secret: Secret | null
  let requests: string[]
  let answersConflict = false
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mainstay-keys-job-'))
    await mkdir(join(folder, 'dist/src'), { recursive: true })
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'dist/src/cli.js'), CLI)
    await writeFile(join(folder, 'namespace'), 'auth')
    await writeFile(join(folder, 'token'), 'token-of-the-job')
    server = createServer(async (request, response) => {
      const { method, url, headers } = request
      requests.push(`${method} ${url} ${headers.authorization}`)
      if (method !== 'GET' && !answersConflict) secret = (await json(request)) as Secret
      const status = method === 'GET' ? (secret ? 200 : 404) : answersConflict ? 409 : 200
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(secret ?? {}))
    })
    await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  })
  afterAll(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })
  let work: string
  beforeEach(async () => {
    work = await mkdtemp(join(folder, 'work-'))
    requests = []
    secret = null
    answersConflict = false
  })

  function job(...args: string[]): Promise<{ stdout: string }> {
    const { port } = server.address() as AddressInfo
    const env = {
      ...{ PATH: process.env.PATH, KUBERNETES_API: `http://127.0.0.1:${port}`, ACCOUNT_FOLDER: folder },
      ...{ KEYS_SECRET: 'mainstay-keys', KEYS_FOLDER: work },
      ...{ NODE_EXTRA_CA_CERTS: `${folder}/kubernetes.pem`, COMMANDS_EXTRA_CA_CERTS: '/files/database.pem' },
      ...{ JWT_KEYS_FILE: `${work}/jwt-keys.json`, SECRETS_KEYS_FILE: `${work}/secrets-keys.json` },
    }
    return run(process.execPath, [SCRIPT, ...args], { cwd: folder, env })
  }
  const encoded = (text: string) => Buffer.from(text).toString('base64')

  it('makes the Secret where there is none', async () => {
    await job('create', 'keys:generate', 'secrets:generate')
    expect(secret).toMatchObject({
      metadata: { name: 'mainstay-keys' },
      data: {
        'jwt-keys.json': encoded('keys:generate'),
        'secrets-keys.json': encoded('secrets:generate'),
      },
    })
    expect(requests.at(-1)).toBe('POST /api/v1/namespaces/auth/secrets Bearer token-of-the-job')
  })

  it('lets commands trust what the operator says, not what Kubernetes says', async () => {
    expect((await job('create', 'keys:generate')).stdout).toContain('trusts /files/database.pem')
  })

  it('never makes keys where some exist', async () => {
    secret = { metadata: { name: 'mainstay-keys' }, data: { 'jwt-keys.json': encoded('old') } }
    await job('create', 'keys:generate')
    expect(requests).toHaveLength(1)
    expect(secret.data['jwt-keys.json']).toBe(encoded('old'))
  })

  it('changes what is there, keeps the rest, and says which version it has read', async () => {
    const data = { 'jwt-keys.json': encoded('old,'), 'secrets-keys.json': encoded('s'), other: encoded('o') }
    secret = { metadata: { name: 'mainstay-keys', resourceVersion: '7' }, data }
    await job('change', 'keys:rotate')
    expect(secret).toEqual({
      metadata: { name: 'mainstay-keys', resourceVersion: '7' },
      data: { ...data, 'jwt-keys.json': encoded('old,keys:rotate') },
    })
    expect(requests.at(-1)).toMatch(/^PUT .*\/secrets\/mainstay-keys /)
  })

  it('leaves the Secret as it was when a command fails, or somebody else has changed it', async () => {
    secret = { metadata: { name: 'mainstay-keys' }, data: { 'jwt-keys.json': encoded('old') } }
    await expect(job('change', 'keys:rotate', 'fail')).rejects.toThrow('the Secret is as it was')
    expect(requests).toHaveLength(1)
    answersConflict = true
    await expect(job('change', 'keys:rotate')).rejects.toThrow('409')
    expect(secret.data['jwt-keys.json']).toBe(encoded('old'))
  })

  it('rotates no keys where none exist', async () => {
    await expect(job('change', 'keys:rotate')).rejects.toThrow('There is no Secret mainstay-keys')
    expect(requests).toHaveLength(1)
  })
})
