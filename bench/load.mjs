// What is measured gets requests by wrk from the other core, in short rounds, in turn with what it is compared with.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FOLDER, OTHER_CORE } from './machine.mjs'

/** Short rounds in turn: the machine's mood changes slowly, so what is compared is measured close together. */
export const ROUNDS = 5
export const SECONDS = 3
const WARM_UP_SECONDS = 8

/**
 * Runs `contestants` ({ name: seconds => measurement }) in turn, forwards and backwards, after a warm-up of
 * each that does not count. Gives back { name: [measurement of each round] }.
 */
export async function inTurn(
  contestants,
  { rounds = ROUNDS, seconds = SECONDS, warmUpSeconds = WARM_UP_SECONDS } = {},
) {
  const names = Object.keys(contestants)
  for (const name of names) await contestants[name](warmUpSeconds)
  const measured = Object.fromEntries(names.map(name => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? names : names.toReversed()
    for (const name of order) measured[name].push(await contestants[name](seconds))
  }
  return measured
}

const run = promisify(execFile)
const SCRIPT = join(import.meta.dirname, 'requests.lua')

/** Requests of one kind, for any server. Each is `{ method, path, headers, body }`. */
export class Requests {
  constructor(name, requests, { connections, script = SCRIPT }) {
    this.name = name
    this.requests = requests
    this.connections = connections
    this.script = script
    this.files = new Map()
  }

  /**
   * Sends them to `server` for so many seconds over keep-alive connections, from the other core. Gives back
   * requests a second, p50 and p99 in milliseconds, and processor time: of the core that the server had, the
   * share it used, and microseconds a request. With `perSecond`, about so many requests a second. Throws when a
   * single answer was not 2xx, or none came.
   */
  async load(server, seconds, { cores = OTHER_CORE, perSecond } = {}) {
    const pause = perSecond ? [String(Math.round((this.connections / perSecond) * 1000))] : []
    const cpuBefore = server.child.cpuSeconds()
    const { stdout } = await run('taskset', [
      ...['--cpu-list', cores],
      ...['wrk', '--threads', '1', '--connections', String(this.connections)],
      ...['--duration', `${seconds}s`, '--timeout', '10s', '--script', this.script],
      ...[`http://127.0.0.1:${server.port}`, '--', this.fileFor(server), ...pause],
    ])
    const cpuSeconds = server.child.cpuSeconds() - cpuBefore
    const result = JSON.parse(/^RESULT (.*)$/m.exec(stdout)[1])
    if (result.refused > 0 || result.broken > 0 || result.requests === 0)
      throw new Error(
        `${this.name} on ${server.name}: ${result.refused} answers were not 2xx, ${result.broken} did not come, ` +
          `of ${result.requests}\n${server.child.outputEnd()}`,
      )
    const elapsed = result.microseconds / 1e6
    return {
      requests: result.requests,
      perSecond: result.requests / elapsed,
      p50: result.p50 / 1000,
      p99: result.p99 / 1000,
      busy: cpuSeconds / elapsed,
      cpuMicroseconds: (cpuSeconds * 1e6) / result.requests,
    }
  }

  fileFor({ name, port }) {
    const file = this.files.get(port) ?? join(FOLDER, `${this.name}-${name}.requests`)
    if (!this.files.has(port)) {
      writeFileSync(file, this.requests.map(request => onTheWire(request, port)).join('\0'))
      this.files.set(port, file)
    }
    return file
  }
}

/** The bytes of a request to this port. */
export function onTheWire({ method, path, headers, body = '' }, port) {
  const lines = Object.entries({
    Host: `127.0.0.1:${port}`,
    ...headers,
    ...(method === 'POST' && { 'Content-Length': Buffer.byteLength(body) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}
