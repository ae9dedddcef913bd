import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inTurn } from '../load.mjs'
import { query, startPostgres, startRedis, stopAll, withRedis } from '../machine.mjs'
import { print, step } from '../report.mjs'
import { measureSessionMemory, usedMemory } from '../scale/sessions.mjs'
import { loginRequests, PASSWORD, refreshRequests, seed } from '../seed.mjs'
import { serviceEnvironment, startService } from '../service.mjs'
import { refreshGrants, requireToken, rotatingGrants, signIns, startPeer, withHeaders } from './peers.mjs'
import { chart, report } from './report-peers.mjs'

/** As many as the service gets from `seed`. */
const SESSIONS = 5_000
const USERS = 200
/** As many as `measureSessionMemory` makes, four a user. */
const IN_REDIS = { sessions: 20_000, users: 5_000 }
const CHART = join(import.meta.dirname, '../peers.svg')
const DOCUMENT = join(import.meta.dirname, '../peers.md')
const PLACE = /<!-- results -->.*<!-- end of results -->/s
/** So few logins fit into a second that rounds and warm-up take longer. */
const LOGIN_ROUNDS = { rounds: 3, seconds: 5, warmUpSeconds: 8 }

/** The service beside its peers: prints the tables, and writes them and the picture into bench/peers.md. Exit code 1 when the bar is missed. */
export async function measurePeers() {
  const startedAt = performance.now()
  try {
    const [databaseUrl, redisUrl, peersRedisUrl] = await step('stores', () =>
      Promise.all([startPostgres(), startRedis('redis'), startRedis('redis-of-peers')]),
    )
    const environment = serviceEnvironment({ databaseUrl, redisUrl })
    const seeded = await step('users and sessions of the service', () => seed(environment))
    const stores = {
      REDIS_URL: peersRedisUrl,
      DATABASE_URL: await betterAuthDatabase(databaseUrl),
      KEYS_FILE: environment.JWT_KEYS_FILE,
    }
    const service = await startService('Mainstay', environment)
    const peers = await step('users and sessions of the peers', () => startPeers(stores))
    const ours = {
      server: service,
      refresh: refreshRequests(seeded.opened),
      login: loginRequests(seeded.users),
    }
    await requireToken(service, ours.refresh.requests[0], '/.well-known/jwks.json')
    const contestants = { Mainstay: ours, ...peers }
    const refresh = await step('refresh', () => inTurn(loads(contestants, 'refresh')))
    const resident = residentBytes(contestants)
    const login = await step('login', () => inTurn(loads(contestants, 'login'), LOGIN_ROUNDS))
    await stopAll(({ command }) => command === process.execPath)
    const memory = await step('memory of sessions', () => measureMemory(stores))
    const seconds = (performance.now() - startedAt) / 1000
    const { text, bars, holds } = report({ refresh, login, resident, memory, seconds })
    writeFileSync(CHART, chart(bars))
    const document = readFileSync(DOCUMENT, 'utf8')
    const section = `<!-- results -->\n${text}\n<!-- end of results -->`
    writeFileSync(
      DOCUMENT,
      document.replace(PLACE, () => section),
    )
    print(text, [holds])
  } finally {
    await stopAll()
  }
}

async function startPeers(stores) {
  const express = await startPeer('express-session', stores)
  const oidc = await startPeer('oidc-provider', stores)
  const betterAuth = await startPeer('better-auth', stores)
  const cached = await startPeer('better-auth', { ...stores, name: 'better-auth-cached', COOKIE_CACHE: 'on' })
  const argon2id = await startPeer('better-auth', {
    ...stores,
    name: 'better-auth-argon2id',
    HASH: 'argon2id',
  })
  const many = { sessions: SESSIONS, users: USERS }
  const cookies = await express.child.ask(many)
  const [toCheck, ...rotating] = await oidc.child.ask({ ...many, sessions: SESSIONS + 1, client: 'browser' })
  const kept = await oidc.child.ask({ ...many, client: 'server' })
  const token = async server => withHeaders('token', 'GET', '/api/auth/token', await server.child.ask(many))
  const emails = server => server.child.ask({ users: USERS, password: PASSWORD })
  const peers = {
    'express-session': { server: express, refresh: withHeaders('refresh', 'POST', '/refresh', cookies) },
    'express-session, no token': {
      server: express,
      refresh: withHeaders('session', 'POST', '/session', cookies),
    },
    'oidc-provider': { server: oidc, refresh: refreshGrants('kept', kept) },
    'oidc-provider, rotation': { server: oidc, refresh: rotatingGrants('rotating', rotating) },
    'better-auth': {
      server: betterAuth,
      refresh: await token(betterAuth),
      login: signIns('login', await emails(betterAuth)),
    },
    'better-auth, cookie cache': { server: cached, refresh: await token(cached) },
    'better-auth, argon2id': { server: argon2id, login: signIns('login', await emails(argon2id)) },
  }
  const [rotatingRequest] = rotatingGrants('to check', [toCheck]).requests
  await requireToken(express, peers['express-session'].refresh.requests[0], '/jwks')
  await requireToken(oidc, peers['oidc-provider'].refresh.requests[0], '/jwks')
  await requireToken(oidc, rotatingRequest, '/jwks')
  await requireToken(betterAuth, peers['better-auth'].refresh.requests[0], '/api/auth/jwks')
  await requireToken(cached, peers['better-auth, cookie cache'].refresh.requests[0], '/api/auth/jwks')
  return peers
}

/** What `inTurn` takes, of those that do this. */
function loads(contestants, kind) {
  const taking = Object.entries(contestants).filter(([, contestant]) => contestant[kind])
  return Object.fromEntries(
    taking.map(([name, contestant]) => [name, seconds => contestant[kind].load(contestant.server, seconds)]),
  )
}

function residentBytes(contestants) {
  return Object.fromEntries(
    Object.entries(contestants).map(([name, { server }]) => [name, server.child.residentBytes()]),
  )
}

async function betterAuthDatabase(databaseUrl) {
  await query(databaseUrl, 'create database better_auth')
  const url = new URL(databaseUrl)
  url.pathname = '/better_auth'
  return url.href
}

/** Bytes of an empty Redis's memory that a session takes, by contestant. */
async function measureMemory(stores) {
  return {
    Mainstay: await measureSessionMemory(),
    'express-session': await ofPeer('express-session', stores),
    'oidc-provider': await ofPeer('oidc-provider', stores, { client: 'server' }),
    'better-auth': await ofPeer('better-auth', stores),
  }
}

async function ofPeer(program, stores, more) {
  const url = await startRedis(`redis-of-${program}`)
  const { child } = await startPeer(program, { ...stores, name: `${program}-of-memory`, REDIS_URL: url })
  // Whatever is there once, is there before the memory is looked at.
  await child.ask({ sessions: 1, users: 1, ...more })
  return withRedis(url, async redis => {
    await redis.flushAll()
    const empty = await usedMemory(redis)
    await child.ask({ ...IN_REDIS, ...more })
    const full = await usedMemory(redis)
    await child.stop()
    return (full - empty) / IN_REDIS.sessions
  })
}
