import { execFile, spawn } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type MovableAddress, startMovableAddress } from '../faults/support/movable-address.js'
import { documentedCode } from '../support/client/documented-code.js'
import { eventually } from '../support/eventually.js'
import { request } from '../support/http-request.js'
import { aSignedInOwner } from '../support/people.js'
import { freePort } from '../support/processes/free-port.js'
import { TestApp } from '../support/test-app.js'
import { InstalledProject } from './support/installed-project.js'

const run = promisify(execFile)
const PATIENCE_MS = 240_000
const PATH = `${process.env.PATH}${delimiter}/usr/sbin`
/** What go-oidc is in Debian: an earlier release, under its earlier name. */
const GO_OIDC = '/usr/share/gocode/src/github.com/coreos/go-oidc'
const PYTHON = '/usr/bin/python3'

describe('docs/integrate/other-languages.md', () => {
  let address: MovableAddress
  let url: string
  let app: TestApp
  let folder: string
  let accountId: string
  let good: string
  let forged: string
  const stops: (() => unknown)[] = []
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mainstay-languages-'))
    // The issuer is part of every token, so the address has to be known before the service starts.
    address = await startMovableAddress(0)
    url = `http://127.0.0.1:${address.port}`
    app = await TestApp.start({ JWT_ISSUER: url, JWT_AUDIENCE: url })
    address.moveTo(Number(new URL(app.url).port))
    const owner = await aSignedInOwner(app)
    accountId = owner.accountId
    good = owner.accessToken
    forged = signedByAnother(good)
  }, PATIENCE_MS)
  afterAll(async () => {
    for (const stop of stops) await stop()
    address?.close()
    await app?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it.each([
    ['Python', existsSync('/usr/lib/python3/dist-packages/jwt'), 'python3-jwt', python],
    ['Go', isOnPath('go') && existsSync(GO_OIDC), 'golang and golang-github-coreos-go-oidc-dev', go],
    ['Hono', true, '', hono],
    ['nginx', isOnPath('nginx'), 'nginx', nginx],
    ['Caddy', isOnPath('caddy'), 'caddy', caddy],
  ])(
    '%s accepts a token of the service, and no other (integration 8)',
    async (heading, isThere, packages, accountOf) => {
      if (!isThere) return console.warn(`Not tried, because ${packages} is not installed: ${heading}`)
      const code = (await documentedCode(heading)).replaceAll('https://auth.example.com', url)
      const ask = await accountOf(code)
      expect(await ask(good)).toContain(accountId)
      for (const token of [forged, `${good}x`, '']) await expect(ask(token)).rejects.toThrow()
    },
    PATIENCE_MS,
  )

  type Ask = (token: string) => Promise<string>

  async function python(code: string): Promise<Ask> {
    const text = `${code}\nimport sys\nprint(claims_of(sys.argv[1])["accountId"])\n`
    const file = await write('tokens.py', text)
    return async token => (await run(PYTHON, [file, token])).stdout
  }

  async function go(code: string): Promise<Ask> {
    const program = code
      .replace('package tokens', 'package main')
      .replace('"context"', '"context"\n\t"fmt"\n\t"os"')
      .replace('go-oidc/v3/oidc', 'go-oidc')
    const file = await write(
      'tokens.go',
      `${program}
func main() {
	claims, err := ClaimsOf(context.Background(), os.Args[1])
	if err != nil {
		panic(err)
	}
	fmt.Println(claims.AccountID)
}
`,
    )
    const env = {
      ...process.env,
      GO111MODULE: 'off',
      GOPATH: '/usr/share/gocode',
      GOCACHE: join(folder, 'go'),
    }
    await run('go', ['build', '-o', join(folder, 'tokens'), file], { env })
    return async token => (await run(join(folder, 'tokens'), [token])).stdout
  }

  async function hono(code: string): Promise<Ask> {
    const project = await InstalledProject.with('hono@4.13.19', '@hono/node-server@1')
    stops.push(() => project.remove())
    const port = await freePort()
    await project.write('app.mjs', code)
    const start = `import { serve } from '@hono/node-server'
      import app from './app.mjs'
      serve({ fetch: app.fetch, port: ${port}, hostname: '127.0.0.1' })`
    await project.write('serve.mjs', start)
    const server = spawn(process.execPath, ['serve.mjs'], { cwd: project.folder })
    stops.push(() => server.kill())
    return reports(port)
  }

  async function nginx(code: string): Promise<Ask> {
    const port = await freePort()
    const site = code.replace('127.0.0.1:4000', await reportsServer())
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map(name => `${name}_temp_path ${folder}/${name};`)
      .join(' ')
    const file = await write(
      'nginx.conf',
      `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}
       http { access_log off; ${places} server { listen 127.0.0.1:${port}; ${site} } }`,
    )
    const server = spawn('nginx', ['-c', file, '-p', folder], { env: { ...process.env, PATH } })
    stops.push(() => server.kill())
    return reports(port)
  }

  async function caddy(code: string): Promise<Ask> {
    const port = await freePort()
    const site = code.replace('127.0.0.1:4000', await reportsServer())
    const file = await write('Caddyfile', `{\n\tadmin off\n}\nhttp://127.0.0.1:${port} {\n${site}\n}\n`)
    const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    const server = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { env })
    stops.push(() => server.kill())
    return reports(port)
  }

  /** What a page gets at /reports; rejects when it is refused. */
  function reports(port: number): Ask {
    const origin = `http://127.0.0.1:${port}`
    return async token => {
      const headers = { Authorization: `Bearer ${token}`, Origin: 'https://page.test' }
      const { status, text } = await eventually(() => request(origin, { path: '/reports', headers }))
      if (status !== 200) throw new Error(`${status} ${text}`)
      return text
    }
  }

  /** What stands behind a proxy: it knows the account without looking at the token. */
  async function reportsServer(): Promise<string> {
    const port = await freePort()
    const server: Server = createServer((_, response) => response.end(accountId)).listen(port, '127.0.0.1')
    stops.push(() => server.close())
    return `127.0.0.1:${port}`
  }

  async function write(name: string, text: string): Promise<string> {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
    return path
  }
})

/** The same header and claims, signed with a key of somebody else's. */
function signedByAnother(token: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const content = token.slice(0, token.lastIndexOf('.'))
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const }
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`
}

function isOnPath(program: string): boolean {
  return PATH.split(delimiter).some(folder => existsSync(join(folder, program)))
}
