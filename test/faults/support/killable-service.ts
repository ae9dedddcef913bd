import { request } from '../../support/http-request.js'
import { ServerFolder } from '../../support/processes/server-folder.js'
import { ServerProcess } from '../../support/processes/server-process.js'

/** The built service, for killing. While it starts again there is another of it, as on several machines. */
export class KillableService {
  /** False from the moment it is killed until it answers again. */
  isUp = true

  private constructor(
    readonly url: string,
    private readonly process: ServerProcess,
  ) {}

  static async start(environment: Readonly<Record<string, string>>): Promise<KillableService> {
    const url = `http://127.0.0.1:${environment.PORT}`
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
    const server = await ServerProcess.start({
      command: 'sh',
      args: [
        ...['-c', 'cd "$1" && shift && exec env -i "$@"', 'sh', process.cwd()],
        ...[...variables, process.execPath, 'dist/joined/main.js'],
      ],
      folder: await ServerFolder.create('killable', 'KILL'),
      isReady: async () => (await request(url, { path: '/health/ready' })).status === 200,
      endSignal: 'SIGKILL',
    })
    return new KillableService(url, server)
  }

  /** Kills it in the middle of whatever it does, and starts it again; resolves when it answers. */
  async kill(): Promise<void> {
    this.isUp = false
    await this.process.restart()
    this.isUp = true
  }

  stop(): Promise<void> {
    return this.process.stop()
  }
}
