import { join } from 'node:path'
import { request, type TestRequest, type TestResponse } from '../../support/http-request.js'
import { freePort } from '../../support/processes/free-port.js'
import { ServerFolder } from '../../support/processes/server-folder.js'
import { ServerProcess } from '../../support/processes/server-process.js'
import { Wires } from './network/wires.js'

const FOLDER = join(process.cwd(), 'test/faults/fleet')

/** One process of the built service; what it has to say to Redis and PostgreSQL goes over wires of its own. */
export class Replica {
  /** False from the moment it is killed until it serves again. */
  isUp = true

  private constructor(
    readonly name: string,
    readonly url: string,
    readonly wires: Wires,
    private readonly process: ServerProcess,
    readonly redisPorts: readonly number[],
    readonly databasePort: number,
  ) {}

  /** Resolves when it serves. FLEET_LOGS is a folder that keeps what it printed; else that goes with the test. */
  static async start(
    name: string,
    environment: Readonly<Record<string, string>>,
    { redisPorts, databasePort }: { redisPorts: readonly number[]; databasePort: number },
  ): Promise<Replica> {
    const wires = await Wires.to([...redisPorts, databasePort])
    const folder = await ServerFolder.create('replica', 'KILL')
    const log = join(process.env.FLEET_LOGS ?? folder.path, `${name}.log`)
    const port = String(await freePort())
    const url = `http://127.0.0.1:${port}`
    const variables = Object.entries({ ...environment, PORT: port, WIRES: JSON.stringify(wires.ports) })
    const server = await ServerProcess.start({
      command: 'sh',
      args: [
        ...['-c', 'cd "$1" && exec >>"$2" 2>&1 && shift 2 && exec env -i "$@"', 'sh', process.cwd(), log],
        ...variables.map(([variable, value]) => `${variable}=${value}`),
        ...[process.execPath, '--import', join(FOLDER, 'network/through-wires.mjs'), 'dist/joined/main.js'],
      ],
      folder,
      isReady: async () => (await request(url, { path: '/health/ready' })).status === 200,
      endSignal: 'SIGKILL',
    })
    return new Replica(name, url, wires, server, redisPorts, databasePort)
  }

  request(options: TestRequest): Promise<TestResponse> {
    return request(this.url, options)
  }

  /** As a crash of the machine would. */
  async kill(): Promise<void> {
    this.isUp = false
    await this.process.kill('SIGKILL')
  }

  /** Resolves when it serves again. */
  async restart(): Promise<void> {
    await this.process.restart()
    this.isUp = true
  }

  async stop(): Promise<void> {
    this.isUp = false
    await this.process.stop()
    this.wires.close()
  }
}
