import { execFile, spawn } from 'node:child_process'
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type MovableAddress, startMovableAddress } from '../faults/support/movable-address.js'
import { SigningKeys } from '../sources.js'
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
const JACKSON = ['core', 'annotations', 'databind'].map(part => `/usr/share/java/jackson-${part}.jar`)

describe('docs/integrate/other-languages.md', () => {
  let address: MovableAddress
  let url: string
  let app: TestApp
  let folder: string
  let accountId: string
  let good: string
  let refused: Record<string, string>
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
    refused = refusedTokens(good, app.get(SigningKeys).current)
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
    [
      'Java',
      isOnPath('javac') && JACKSON.every(jar => existsSync(jar)),
      'openjdk-17-jdk-headless and libjackson2-databind-java',
      java,
    ],
    ['PHP', isOnPath('php'), 'php-cli', php],
    ['Hono', true, '', hono],
    ['nginx', isOnPath('nginx'), 'nginx', nginx],
    ['Caddy', isOnPath('caddy'), 'caddy', caddy],
  ])(
    '%s accepts a token of the service, and no other: key, algorithm, typ, issuer, audience, time (integration 8)',
    async (heading, isThere, packages, accountOf) => {
      if (!isThere) return console.warn(`Not tried, because this machine lacks ${packages}: ${heading}`)
      const code = (await documentedCode(heading)).replaceAll('https://auth.example.com', url)
      const ask = await accountOf(code)
      expect(await ask(good)).toContain(accountId)
      const accepted: string[] = []
      for (const [name, token] of Object.entries(refused)) {
        if (
          await ask(token).then(
            () => true,
            () => false,
          )
        )
          accepted.push(name)
      }
      expect(accepted).toEqual([])
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

  async function java(code: string): Promise<Ask> {
    const tokens = await write('java/Tokens.java', code)
    const main = await write(
      'java/Main.java',
      `public class Main {
         public static void main(String[] args) throws Exception {
           System.out.println(new Tokens().claimsOf(args[0]).path("accountId").asText());
         }
       }`,
    )
    const classPath = [dirname(main), ...JACKSON].join(delimiter)
    await run('javac', ['-cp', classPath, tokens, main])
    return async token => (await run('java', ['-cp', classPath, 'Main', token])).stdout
  }

  async function php(code: string): Promise<Ask> {
    const file = await write('tokens.php', `${code}\necho claims_of($argv[1])->accountId;\n`)
    return async token => (await run('php', [file, token])).stdout
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

/** Tokens that are as good as the given one but for one thing each, by what that is. */
function refusedTokens(good: string, own: { kid: string; privateKey: KeyObject }): Record<string, string> {
  const [header, claims] = good
    .split('.', 2)
    .map(part => JSON.parse(Buffer.from(part, 'base64url').toString()))
  const another = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const token = (
    changes: { header?: object; claims?: object },
    signature = (content: Buffer) => ecdsa('sha256', content, own.privateKey),
  ) => {
    const content = [
      { ...header, ...changes.header },
      { ...claims, ...changes.claims },
    ]
      .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${content}.${signature(Buffer.from(content)).toString('base64url')}`
  }
  const publicKey = createPublicKey(own.privateKey).export({ type: 'spki', format: 'pem' })
  const anHourAgo = { iat: claims.iat - 3600, exp: claims.exp - 3600 }
  expect(header.kid).toBe(own.kid)
  return {
    'no token': '',
    'no token either': 'token',
    'one character too many': `${good}x`,
    'another key': token({}, content => ecdsa('sha256', content, another)),
    'a kid that is not ours': token({ header: { kid: 'another' } }),
    'a signature of zeros': token({}, () => Buffer.alloc(64)),
    'no signature': token({ header: { alg: 'none' } }, () => Buffer.alloc(0)),
    'ES256 under another name': token({ header: { alg: 'ES384' } }),
    ES384: token({ header: { alg: 'ES384' } }, content => ecdsa('sha384', content, own.privateKey)),
    'HS256 by the public key': token({ header: { alg: 'HS256' } }, content =>
      createHmac('sha256', publicKey).update(content).digest(),
    ),
    'another typ': token({ header: { typ: 'JWT' } }),
    'no typ': token({ header: { typ: undefined } }),
    'another issuer': token({ claims: { iss: 'https://another.test' } }),
    'another audience': token({ claims: { aud: 'https://another.test' } }),
    'an expired one': token({ claims: anHourAgo }),
  }
}

function ecdsa(hash: string, content: Buffer, key: KeyObject): Buffer {
  return sign(hash, content, { key, dsaEncoding: 'ieee-p1363' })
}

function isOnPath(program: string): boolean {
  return PATH.split(delimiter).some(folder => existsSync(join(folder, program)))
}
