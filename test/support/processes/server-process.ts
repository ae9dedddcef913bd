import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../eventually.js'
import type { ServerFolder } from './server-folder.js'

export interface ServerCommand {
  command: string
  args: string[]
  folder: ServerFolder
  /** True once the server answers. Asked again and again, for at most 20 s. */
  isReady: () => Promise<boolean>
  /** Ends the server in order. */
  endSignal: NodeJS.Signals
  user?: { uid: number; gid: number }
}

/** One server program: started, ended, killed and started again in the same folder, on the same port. */
export class ServerProcess {
  private child?: ChildProcess

  private constructor(private readonly options: ServerCommand) {}

  /** Resolves when the server answers. Rejects with the end of its log when it ends before that. */
  static async start(options: ServerCommand): Promise<ServerProcess> {
    const server = new ServerProcess(options)
    try {
      await server.launch()
    } catch (error) {
      await server.stop()
      throw error
    }
    return server
  }

  /** The pid of the server that runs now, or of the last one. */
  get pid(): number {
    return this.child!.pid!
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null
  }

  /** What it ended with; null while it runs, or when a signal ended it. */
  get exitCode(): number | null {
    return this.child?.exitCode ?? null
  }

  /** Sends the signal. Resolves when the server has ended; at once for SIGSTOP and SIGCONT. Safe to repeat. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.child
    if (!child || !this.isRunning) return
    const ended = once(child, 'exit')
    child.kill(signal)
    if (signal === 'SIGSTOP' || signal === 'SIGCONT') return
    child.ref()
    // A server stopped by SIGSTOP takes the signal only when it goes on.
    child.kill('SIGCONT')
    await ended
  }

  /** Ends the server in order if it still runs, and starts it again with the same port and folder. */
  async restart(): Promise<void> {
    await this.kill(this.options.endSignal)
    await this.launch()
  }

  /** Ends the server and removes its folder; safe to repeat. */
  async stop(): Promise<void> {
    await this.kill(this.options.endSignal)
    await this.options.folder.remove()
  }

  /** The end of what it has printed, with those of its earlier starts. */
  logEnd(): string {
    return readFileSync(this.logFile, 'utf8').slice(-2_000)
  }

  private async launch(): Promise<void> {
    const { command, args, folder, user, isReady } = this.options
    const log = openSync(this.logFile, 'a')
    const child = spawn(command, args, {
      cwd: folder.path,
      detached: true,
      stdio: ['ignore', log, log],
      ...user,
    })
    closeSync(log)
    await once(child, 'spawn')
    child.unref()
    this.child = child
    folder.serverStarted(this.pid)
    child.once('exit', () => folder.serverEnded())
    await eventually(async () => !this.isRunning || (await isReady()), {
      what: `${command} to answer`,
      timeoutMs: 60_000,
    })
    if (!this.isRunning) throw new Error(`${command} ended at its start:\n${this.logEnd()}`)
  }

  private get logFile(): string {
    return join(this.options.folder.path, 'server.log')
  }
}
