import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { eventually } from '../../support/eventually.js'
import { request } from '../../support/http-request.js'
import type { InstalledProject } from './installed-project.js'

/** `npx mainstay-auth` in the folder of a project. */
export class InstalledService {
  output = ''

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', text => {
        this.output += text
      })
  }

  /** Resolves when it is ready at `url`. Stops it, and rejects, when it is not within a minute. */
  static async start(project: InstalledProject, url: string, variables: Record<string, string>) {
    const env = { ...project.environment(), ...variables }
    const child = spawn('npx', ['mainstay-auth'], { cwd: project.folder, env, detached: true })
    const service = new InstalledService(child)
    const ready = async () => (await request(url, { path: '/health/ready' })).status === 200
    await eventually(ready, { timeoutMs: 60_000, everyMs: 100 }).catch(cause => {
      service.send('SIGKILL')
      throw new Error(`It is not ready:\n${service.output}`, { cause })
    })
    return service
  }

  /** Resolves when all its processes have ended. */
  async end(): Promise<void> {
    const ended = once(this.child, 'close')
    this.send('SIGTERM')
    await ended
  }

  /** To all its processes: npx does not pass signals on. */
  private send(signal: NodeJS.Signals): void {
    process.kill(-(this.child.pid as number), signal)
  }
}
