import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Reads one line for each start (the pid) and each end (empty) of the server. Its input closes when the
// test process ends in whatever way, `kill -9` included: then it ends the server, which may be stopped
// by SIGSTOP, waits at most 10 s for it, and removes the folder.
const WATCHDOG = `
  pid=
  while read -r line; do pid=$line; done
  if [ -n "$pid" ]; then
    kill -s "$2" "$pid"; kill -s CONT "$pid"
    tries=0
    while kill -0 "$pid" && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  fi
  rm -rf "$1"
`

/** A temporary folder for one server. It and the server are gone when the test process is. */
export class ServerFolder {
  private constructor(
    readonly path: string,
    private readonly watchdog: ChildProcess,
  ) {}

  /** `endSignal` (without "SIG") is what ends the server when the test process is killed. */
  static async create(name: string, endSignal: string): Promise<ServerFolder> {
    const path = await mkdtemp(join(tmpdir(), `mainstay-${name}-`))
    // Detached: Ctrl-C in the terminal must not reach the watchdog before its work is done.
    const watchdog = spawn('sh', ['-c', WATCHDOG, 'watchdog', path, endSignal], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    await once(watchdog, 'spawn')
    // A server that a test forgot to stop must not keep the test process from ending.
    watchdog.unref()
    ;(watchdog.stdin as Socket).unref()
    watchdog.stdin!.on('error', () => {
      // Somebody killed the watchdog; the server itself is not affected.
    })
    return new ServerFolder(path, watchdog)
  }

  serverStarted(pid: number): void {
    this.watchdog.stdin!.write(`${pid}\n`)
  }

  serverEnded(): void {
    if (!this.watchdog.stdin!.writableEnded) this.watchdog.stdin!.write('\n')
  }

  /** Resolves when the folder is removed; safe to repeat. */
  async remove(): Promise<void> {
    if (this.watchdog.exitCode !== null || this.watchdog.signalCode !== null) return
    const ended = once(this.watchdog, 'exit')
    this.watchdog.ref()
    this.watchdog.stdin!.end()
    await ended
  }
}
