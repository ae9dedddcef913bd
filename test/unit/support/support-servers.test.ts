import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { createClient, createCluster, createSentinel } from 'redis'
import { eventually } from '../../support/eventually.js'
import { request, sendRaw } from '../../support/http-request.js'
import { createDatabase, startPostgres } from '../../support/postgres/postgres-server.js'
import { ServerFolder } from '../../support/processes/server-folder.js'
import { startRedisCluster } from '../../support/redis/redis-cluster.js'
import { startRedisSentinel } from '../../support/redis/redis-sentinel.js'
import { startRedis } from '../../support/redis/redis-server.js'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

describe('startRedis', () => {
  test('answers, evicts nothing, and leaves no process behind', async () => {
    const server = await startRedis()
    stops.push(server.stop)
    expect(await onRedis(server.url, client => client.ping())).toBe('PONG')
    expect(await onRedis(server.url, client => client.configGet('maxmemory-policy'))).toEqual({
      'maxmemory-policy': 'noeviction',
    })
    await server.stop()
    expect(isAlive(server.pid)).toBe(false)
    await server.stop()
  })

  test('comes back on its port, empty-handed after a crash', async () => {
    const server = await startRedis()
    stops.push(server.stop)
    await onRedis(server.url, client => client.set('a', '1'))
    const firstPid = server.pid
    await server.kill('SIGKILL')
    expect(isAlive(firstPid)).toBe(false)
    await server.restart()
    expect(server.pid).not.toBe(firstPid)
    expect(await onRedis(server.url, client => client.get('a'))).toBeNull()
  })

  test('keeps what it wrote when persistence was asked for', async () => {
    const server = await startRedis({ args: ['--appendonly', 'yes'] })
    stops.push(server.stop)
    await onRedis(server.url, client => client.set('a', '1'))
    await server.restart()
    expect(await onRedis(server.url, client => client.get('a'))).toBe('1')
  })

  test('hangs and goes on', async () => {
    const server = await startRedis()
    stops.push(server.stop)
    await server.kill('SIGSTOP')
    const silent = await sendRaw(server.port, 'PING\r\n', 200)
    await server.kill('SIGCONT')
    expect(silent).toBe('')
    expect(await onRedis(server.url, client => client.ping())).toBe('PONG')
    await server.kill('SIGSTOP')
    await server.stop()
    expect(isAlive(server.pid)).toBe(false)
  })

  test('says why it did not start', async () => {
    await expect(startRedis({ args: ['--no-such-setting', '1'] })).rejects.toThrow(/Bad directive/)
  })
})

test('a Redis Cluster serves every slot through its own client', async () => {
  const cluster = await startRedisCluster()
  stops.push(cluster.stop)
  const client = createCluster({ rootNodes: cluster.nodes.map(({ url }) => ({ url })) })
  client.on('error', () => {})
  await client.connect()
  for (const key of ['a', 'b', 'c', 'd']) {
    await client.set(key, key)
    expect(await client.get(key)).toBe(key)
  }
  const [master] = await cluster.mastersOf(['a'])
  expect(cluster.nodes.slice(0, 3)).toContain(master)
  expect(await onRedis(master!.url, node => node.get('a'))).toBe('a')
  await client.destroy()
  await cluster.stop()
  expect(cluster.nodes.map(node => isAlive(node.pid))).not.toContain(true)
})

test('sentinels name the replica after the master crashed', async () => {
  const group = await startRedisSentinel({ sentinels: 3 })
  stops.push(group.stop)
  const [, sentinels, name] = group.url.match(/^redis\+sentinel:\/\/(.*)\/(.*)$/)!
  const sentinelRootNodes = sentinels!.split(',').map(address => {
    const [host, port] = address.split(':')
    return { host: host!, port: Number(port) }
  })
  const client = createSentinel({ name: name!, sentinelRootNodes })
  client.on('error', () => {})
  await client.connect()
  await client.set('a', '1')
  expect(await client.get('a')).toBe('1')
  await client.destroy()
  expect(await group.masterPort()).toBe(group.master.port)
  await group.master.kill('SIGKILL')
  await eventually(async () => (await group.masterPort()) === group.replica.port, { timeoutMs: 15_000 })
})

describe('PostgreSQL', () => {
  test('gives each test a database of its own', async () => {
    const first = await createDatabase()
    const second = await createDatabase()
    stops.push(first.drop, second.drop)
    await onPostgres(first.url, 'CREATE TABLE only_here (id int)')
    expect(await onPostgres(first.url, 'SELECT count(*)::int AS n FROM only_here')).toEqual([{ n: 0 }])
    await expect(onPostgres(second.url, 'SELECT * FROM only_here')).rejects.toMatchObject({ code: '42P01' })
    await first.drop()
    await expect(onPostgres(first.url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' })
  })

  test('keeps its data over a crash, and leaves no process behind', async () => {
    const server = await startPostgres()
    stops.push(server.stop)
    await onPostgres(server.url, 'CREATE TABLE kept (id int)')
    await server.kill('SIGQUIT')
    await server.restart()
    expect(await onPostgres(server.url, 'SELECT * FROM kept')).toEqual([])
    await server.stop()
    expect(isAlive(server.pid)).toBe(false)
  })
})

test('a server and its folder are gone when the test process lets go of them', async () => {
  const folder = await ServerFolder.create('watched', 'KILL')
  const server = spawn('sleep', ['600'], { stdio: 'ignore' })
  folder.serverStarted(server.pid!)
  // For the watchdog this is what `kill -9` of this process is: the end of its input.
  await folder.remove()
  await eventually(() => server.signalCode === 'SIGKILL')
  expect(existsSync(folder.path)).toBe(false)
})

describe('request', () => {
  test('sends every header line as it was given', async () => {
    const url = await startEcho()
    const { json } = await request(url, {
      method: 'POST',
      path: '/a?b=c',
      headers: {
        host: 'made-up.example',
        Origin: 'null',
        Cookie: ['a=1', 'a=2'],
        'X-Session-ID': ['x', 'y'],
      },
      body: { email: 'a@example.com' },
    })
    expect(json).toEqual({
      method: 'POST',
      url: '/a?b=c',
      rawHeaders: expect.arrayContaining([
        'made-up.example',
        'null',
        'a=1',
        'a=2',
        'x',
        'y',
        'application/json',
      ]),
      body: '{"email":"a@example.com"}',
    })
    expect(json.rawHeaders.filter((_: string, index: number) => index % 2 === 0).sort()).toEqual(
      ['Connection', 'Content-Length', 'Content-Type', 'Cookie', 'Cookie', 'Origin', 'X-Session-ID']
        .concat('X-Session-ID', 'host')
        .sort(),
    )
  })

  test('leaves out a header given as an empty list', async () => {
    const url = await startEcho()
    const { json } = await request(url, { method: 'POST', headers: { 'content-type': [] }, body: {} })
    expect(json.rawHeaders).not.toContain('application/json')
  })

  test('shows every cookie and every doubled header of the answer', async () => {
    const url = await startEcho()
    const response = await request(url)
    expect(response.status).toBe(201)
    expect(response.setCookies).toEqual(['a=1; Path=/', 'b=2'])
    expect(response.headers.vary).toBe('Origin, Origin')
  })

  test('sends raw text', async () => {
    const url = new URL(await startEcho())
    const answer = await sendRaw(Number(url.port), 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 201 /)
  })
})

function clientOf(url: string) {
  const client = createClient({ url })
  client.on('error', () => {})
  return client
}

async function onRedis<T>(url: string, use: (client: ReturnType<typeof clientOf>) => Promise<T>): Promise<T> {
  const client = clientOf(url)
  await client.connect()
  try {
    return await use(client)
  } finally {
    client.destroy()
  }
}

async function onPostgres(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString })
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function startEcho(): Promise<string> {
  const server = createServer(async (incoming, reply) => {
    const body = (await incoming.toArray()).join('')
    const { method, url, rawHeaders } = incoming
    reply.writeHead(201, [
      ...['Content-Type', 'application/json', 'Vary', 'Origin', 'Vary', 'Origin'],
      ...['Set-Cookie', 'a=1; Path=/', 'Set-Cookie', 'b=2'],
    ])
    reply.end(JSON.stringify({ method, url, rawHeaders, body }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => new Promise(resolve => server.close(() => resolve())))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
