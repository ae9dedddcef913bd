// The peers as programs, and what their browsers and clients send.
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { onTheWire, Requests } from '../load.mjs'
import { Child, FOLDER, freePort, MEASURED_CORE } from '../machine.mjs'
import { PASSWORD, USER_AGENT } from '../seed.mjs'
import { SATELLITE } from '../service.mjs'
import { ACCESS_TOKEN_TTL_SECONDS, ISSUER } from './servers/common.mjs'

/** Those of one peer open what the others of it have sealed. */
const SECRETS = {
  SECRET: randomBytes(32).toString('base64'),
  CLIENT_SECRET: randomBytes(32).toString('base64url'),
}

/** One of the programs of `servers`, on a free port and on the core that is measured. */
export async function startPeer(program, { name = program, ...env }) {
  const port = await freePort()
  const child = await Child.start({
    name,
    command: process.execPath,
    args: [join(import.meta.dirname, 'servers', `${program}.mjs`)],
    env: { NODE_ENV: 'production', ...SECRETS, ...env, PORT: String(port) },
    cores: MEASURED_CORE,
    messages: true,
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/`)).status < 500,
  })
  return { name, port, child }
}

/** As the confidential client says who it is. */
function basicAuthorization(clientId) {
  return `Basic ${Buffer.from(`${clientId}:${SECRETS.CLIENT_SECRET}`).toString('base64')}`
}

/** What the service gets, and what the proxy in front of it adds. */
const BROWSER = {
  Origin: SATELLITE,
  'User-Agent': USER_AGENT,
  Accept: '*/*',
  'X-Forwarded-Proto': 'https',
}
const CONNECTIONS = { connections: 48 }
const LOGIN_CONNECTIONS = { connections: 8 }
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** Requests of one method and path, each with headers of its own. */
export function withHeaders(name, method, path, headers) {
  const requests = headers.map(own => ({ method, path, headers: { ...BROWSER, ...own } }))
  return new Requests(name, requests, CONNECTIONS)
}

/** The same refresh tokens again and again, by a client with a secret. */
export function refreshGrants(name, tokens) {
  const headers = { ...BROWSER, ...FORM, Authorization: basicAuthorization('server') }
  const requests = tokens.map(token => ({ method: 'POST', path: '/token', headers, body: grant(token) }))
  return new Requests(name, requests, CONNECTIONS)
}

/** Each refresh token once, by a client without a secret; what is asked for next is what came back. */
export function rotatingGrants(name, tokens) {
  const request = token => ({
    method: 'POST',
    path: '/token',
    headers: { ...BROWSER, ...FORM },
    body: `client_id=browser&${grant(token)}`,
  })
  return new RotatingRequests(name, tokens, request, CONNECTIONS)
}

export function signIns(name, emails) {
  const headers = { ...BROWSER, 'Content-Type': 'application/json' }
  const requests = emails.map(email => ({
    method: 'POST',
    path: '/api/auth/sign-in/email',
    headers,
    body: JSON.stringify({ email, password: PASSWORD }),
  }))
  return new Requests(name, requests, LOGIN_CONNECTIONS)
}

function grant(token) {
  return new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: token,
    resource: ISSUER,
  }).toString()
}

/** Requests that carry a token which counts once: the answer has the next. What is left after a load is sent in the next. */
class RotatingRequests extends Requests {
  constructor(name, tokens, request, options) {
    super(name, tokens.map(request), { ...options, script: join(import.meta.dirname, 'rotating.lua') })
    this.tokens = tokens
    this.request = request
  }

  fileFor(server) {
    const file = join(FOLDER, `${this.name}-${server.name}.tokens`)
    const tokens = this.files.has(file) ? readFileSync(file, 'utf8') : this.tokens.join('\n')
    this.files.set(file, file)
    const placeholder = '_'.repeat(this.tokens[0].length)
    const template = onTheWire(this.request(placeholder), server.port).replace(placeholder, '@')
    writeFileSync(file, tokens)
    writeFileSync(`${file}.template`, template)
    return file
  }
}

/** Sends one request; throws unless the answer is 2xx with an access token that the server's published keys verify. */
export async function requireToken(server, { method, path, headers, body }, jwksPath) {
  const base = `http://127.0.0.1:${server.port}`
  const answer = await fetch(base + path, { method, headers, body })
  const text = await answer.text()
  if (!answer.ok)
    throw new Error(`${server.name} answered ${answer.status} ${text}\n${server.child.outputEnd()}`)
  const { accessToken, access_token, token } = JSON.parse(text)
  const keys = createLocalJWKSet(await (await fetch(base + jwksPath)).json())
  const options = { issuer: ISSUER, audience: ISSUER, algorithms: ['ES256'] }
  const { payload } = await jwtVerify(accessToken ?? access_token ?? token, keys, options)
  const isRight =
    payload.permissions.dataEntry && payload.sub && payload.exp - payload.iat === ACCESS_TOKEN_TTL_SECONDS
  if (!isRight) throw new Error(`${server.name} signed ${JSON.stringify(payload)}`)
}
