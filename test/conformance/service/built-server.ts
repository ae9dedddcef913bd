import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from '../../support/http-request.js'
import { ServerFolder } from '../../support/processes/server-folder.js'
import { ServerProcess } from '../../support/processes/server-process.js'

/**
 * The built service as an operator runs it: `node dist/src/main.js` with this environment and no other, of this checkout or
 * of another release.
 */
export class BuiltServer {
  private constructor(
    readonly url: string,
    private readonly process: ServerProcess,
    private readonly outputFile: string,
  ) {}

  /**
   * Resolves when it is ready. Rejects with what it printed when it ends before that. `release` is its folder, `printTo` the
   * file of its standard output.
   */
  static async start(
    environment: Readonly<Record<string, string>>,
    release = process.cwd(),
    printTo?: string,
  ): Promise<BuiltServer> {
    const folder = await ServerFolder.create('service', 'KILL')
    const outputFile = printTo ?? join(folder.path, 'output.log')
    const url = `http://127.0.0.1:${environment.PORT}`
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
    const process_ = await ServerProcess.start({
      command: 'sh',
      args: [
        ...['-c', 'cd "$1" && exec >"$2" && shift 2 && exec env -i "$@"', 'sh', release, outputFile],
        ...[...variables, process.execPath, 'dist/src/main.js'],
      ],
      folder,
      isReady: async () => (await request(url, { path: '/health/ready' })).status === 200,
      // The seconds in which production drains at SIGTERM are tested elsewhere.
      endSignal: 'SIGKILL',
    })
    return new BuiltServer(url, process_, outputFile)
  }

  /** All lines of its standard output so far. */
  async logLines(): Promise<string[]> {
    return (await readFile(this.outputFile, 'utf8')).split('\n').filter(line => line !== '')
  }

  /** Ends it in order; resolves with its exit code. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    await this.process.kill(signal)
    return this.process.exitCode
  }

  stop(): Promise<void> {
    return this.process.stop()
  }
}
