import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FOLDER } from './machine.mjs'
import { running } from './stop-all.mjs'

const READY_WITHIN_MS = 20_000
const STOP_WITHIN_MS = 10_000
/** Linux counts a process's time in hundredths of a second (USER_HZ, proc(5)). */
const TICKS_A_SECOND = 100

/** One program that a run starts, pinned to `cores`, with its output in a file. */
export class Child {
  /**
   * Resolves when `isReady` answers true; rejects with the end of its output when it ends before that.
   * `endSignal` ends it in order. `messages` opens a channel for `ask`.
   */
  static async start(options) {
    const child = new Child(options)
    await once(child.process, 'spawn')
    const deadline = performance.now() + READY_WITHIN_MS
    while (!(await options.isReady(child).catch(() => false))) {
      if (child.hasEnded) throw new Error(`${options.name} ended at its start:\n${child.outputEnd()}`)
      if (performance.now() > deadline) throw new Error(`${options.name} was not ready in 20 s`)
      await sleep(options.askEveryMs ?? 20)
    }
    return child
  }

  constructor({ name, command, args, cores, cwd, env, messages, user, endSignal = 'SIGTERM' }) {
    this.name = name
    this.command = command
    this.endSignal = endSignal
    this.outputFile = join(FOLDER, `${name}.log`)
    const output = openSync(this.outputFile, 'a')
    const pinned = cores ? ['taskset', '--cpu-list', cores, command, ...args] : [command, ...args]
    this.startedAt = performance.now()
    this.process = spawn(pinned[0], pinned.slice(1), {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', output, output, ...(messages ? ['ipc'] : [])],
      ...user,
    })
    closeSync(output)
    running.add(this)
    this.process.once('exit', () => running.delete(this))
  }

  get hasEnded() {
    return this.process.exitCode !== null || this.process.signalCode !== null
  }

  /** Processor time used so far, all threads, in seconds. */
  cpuSeconds() {
    const [, rest] = readFileSync(`/proc/${this.process.pid}/stat`, 'utf8').split(') ')
    const fields = rest.split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
  }

  /** Resident memory in bytes. */
  residentBytes() {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)[1]) * 1024
  }

  /** Moves every thread to these cores. */
  pin(cores) {
    execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', cores, String(this.process.pid)])
  }

  /** The answer to a message, for a child that was started with `messages`. */
  async ask(message) {
    const answered = new AbortController()
    const { signal } = answered
    const answer = once(this.process, 'message', { signal })
    const ended = once(this.process, 'exit', { signal }).then(() => {
      throw new Error(`${this.name} ended:\n${this.outputEnd()}`)
    })
    this.process.send(message)
    try {
      const [value] = await Promise.race([answer, ended])
      return value
    } finally {
      // Whichever of the two has not come is not waited for any more.
      void Promise.allSettled([answer, ended])
      answered.abort()
    }
  }

  async stop() {
    if (this.hasEnded) return
    const ended = once(this.process, 'exit')
    this.process.kill(this.endSignal)
    const timer = setTimeout(() => this.process.kill('SIGKILL'), STOP_WITHIN_MS)
    await ended
    clearTimeout(timer)
  }

  outputEnd() {
    return readFileSync(this.outputFile, 'utf8').slice(-2_000)
  }
}
