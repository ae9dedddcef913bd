import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { transformFile } from '@swc/core'
import { lockFolder } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { slow } from '../../support/tiers.js'

/** A process of its own that takes the lock, says so, and holds it until it is ended. */
const TAKER = `
  import { lockFolder } from './platform/database/folder-lock.js'
  process.on('message', async folder => {
    try { await lockFolder(folder); process.send('taken') } catch { process.send('refused') }
  })
  process.send('ready')
`

let folder: string
let program: string
let processes: ChildProcess[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mainstay-lock-'))
  program = join(folder, 'taker.mjs')
  processes = []
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  for (const name of ['platform/database/folder-lock', 'platform/errors/api-error']) {
    const { code } = await transformFile(`src/${name}.ts`, {
      swcrc: false,
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    })
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, `${name}.js`), code)
  }
  await writeFile(program, TAKER)
})

afterEach(async () => {
  await Promise.all(processes.map(end))
  await rm(folder, { recursive: true })
})

async function aTaker(): Promise<ChildProcess> {
  const taker = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  processes.push(taker)
  await once(taker, 'message')
  return taker
}

/** What each of them says until half a second after the first has it; undefined for who waits. */
async function takeAtOnce(takers: ChildProcess[]): Promise<unknown[]> {
  const answers: unknown[] = takers.map(() => undefined)
  takers.forEach((taker, index) => {
    taker.once('message', answer => {
      answers[index] = answer
    })
  })
  for (const taker of takers) taker.send(folder)
  await eventually(() => answers.includes('taken'))
  await sleep(500)
  return answers
}

async function end(taker: ChildProcess): Promise<void> {
  if (taker.exitCode !== null || taker.signalCode !== null) return
  taker.kill('SIGKILL')
  await once(taker, 'exit')
}

describe('the lock of a folder', () => {
  it('is given back and taken again', async () => {
    const held = () => readFile(join(folder, 'lock'), 'utf8').catch(() => 'nobody')
    for (let time = 0; time < 2; time++) {
      const unlock = await lockFolder(folder)
      expect(await held()).toMatch(new RegExp(`^${process.pid} `))
      await unlock()
      expect(await held()).toBe('nobody')
    }
  })

  slow('refuses a second process while the first one lives', async () => {
    const [first, second] = [await aTaker(), await aTaker()]
    expect(await takeAtOnce([first])).toEqual(['taken'])
    const answer = once(second, 'message')
    second.send(folder)
    expect((await answer)[0]).toBe('refused')
  })

  slow('of a process that was killed is taken over', async () => {
    const first = await aTaker()
    await takeAtOnce([first])
    await end(first)
    const second = await aTaker()
    expect(await takeAtOnce([second])).toEqual(['taken'])
  })

  it('is taken over when its process id belongs to another process by now', async () => {
    await writeFile(join(folder, 'lock'), `${process.ppid} 1`)
    const unlock = await lockFolder(folder)
    expect(await readFile(join(folder, 'lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} `))
    await unlock()
  })

  describe('two containers on one folder: held in another, where process ids are others', () => {
    const ELSEWHERE = `${process.pid} 1 another-boot/pid:[1] some-owner`
    const TIMES = { patienceMs: 300, heartbeatMs: 50, deadAfterMs: 2_000 }
    const lock = () => join(folder, 'lock')

    slow('it is refused while the holder writes it again and again, whatever its process id', async () => {
      await writeFile(lock(), ELSEWHERE)
      const heartbeat = setInterval(() => void writeFile(lock(), ELSEWHERE), TIMES.heartbeatMs)
      try {
        await expect(lockFolder(folder, () => {}, TIMES)).rejects.toThrow('in use by another process')
        // Empty for a moment while the holder writes it.
        await eventually(async () => (await readFile(lock(), 'utf8')) === ELSEWHERE)
      } finally {
        clearInterval(heartbeat)
      }
    })

    slow('it is taken over when the holder has been silent, and not before', async () => {
      await writeFile(lock(), ELSEWHERE)
      const startedAt = performance.now()
      const unlock = await lockFolder(folder, () => {}, TIMES)
      expect(performance.now() - startedAt).toBeGreaterThan(TIMES.deadAfterMs - 100)
      await unlock()
    })

    it('a holder that was frozen for long hears that it has lost it', async () => {
      const lost = jest.fn()
      const unlock = await lockFolder(folder, lost, TIMES)
      await rm(lock())
      await writeFile(lock(), ELSEWHERE)
      await eventually(() => lost.mock.calls.length > 0)
      expect(await readFile(lock(), 'utf8')).toBe(ELSEWHERE)
      await unlock()
    })

    it('a holder writes it again and again', async () => {
      const unlock = await lockFolder(folder, () => {}, TIMES)
      const { mtimeMs } = await stat(lock())
      await eventually(async () => (await stat(lock())).mtimeMs > mtimeMs)
      await unlock()
    })
  })

  slow.each([
    ['free', null],
    ['left by a process that is gone', '999999 1'],
    ['left empty by one that was killed at once', ''],
  ])('is won by one of many processes when it is %s', async (_, left) => {
    if (left !== null) await writeFile(join(folder, 'lock'), left)
    const takers = await Promise.all(Array.from({ length: 8 }, aTaker))
    const answers = await takeAtOnce(takers)
    expect(answers.filter(answer => answer === 'taken')).toHaveLength(1)
  })
})
