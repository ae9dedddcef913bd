import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { join } from 'node:path'
import { request } from '../http-request.js'
import { freePort } from './free-port.js'
import { ServerFolder } from './server-folder.js'
import { ServerProcess } from './server-process.js'

const ROOT = join(__dirname, '../../..')

/** What `npm start` or `npm run example` runs, beside whatever else runs on this machine. */
export class Laptop {
  private constructor(
    readonly url: string,
    private readonly server: ServerProcess,
  ) {}

  /** `program` is a path in the checkout; `settings` are further ones, as of an example. */
  static async start(
    program = 'dist/joined/development.js',
    args: string[] = [],
    settings: Record<string, string> = {},
  ): Promise<Laptop> {
    const folder = await ServerFolder.create('laptop', 'TERM')
    const [port, sandbox, mail, satellite] = await Promise.all([
      freePort(),
      freePort(),
      freePort(),
      freePort(),
    ])
    const url = `${settings.HTTPS === 'on' ? 'https' : 'http'}://localhost:${settings.PORT ?? port}`
    const environment = {
      PORT: port,
      STRIPE_API_URL: `http://localhost:${sandbox}`,
      SMTP_URL: `smtp://localhost:${mail}`,
      ...(settings.HTTPS !== 'on' && { ALLOWED_ORIGINS: `http://127.0.0.1:${satellite}` }),
      DATA_DIR: join(folder.path, 'data'),
      LOG_LEVEL: 'warn',
      ...settings,
    }
    const server = await ServerProcess.start({
      command: 'env',
      args: [
        // As in a terminal; Jest sets it.
        '--unset=NODE_ENV',
        ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
        process.execPath,
        join(ROOT, program),
        ...args,
      ],
      folder,
      isReady: () => isReady(url),
      endSignal: 'SIGTERM',
    })
    return new Laptop(url, server)
  }

  /** The end of what is in its terminal. */
  terminal(): string {
    return this.server.logEnd()
  }

  async stop(): Promise<void> {
    await this.server.stop()
  }
}

async function isReady(url: string): Promise<boolean> {
  const path = '/health/ready'
  try {
    if (!url.startsWith('https:')) return (await request(url, { path })).status === 200
    // Its certificate is its own.
    const asked = get(url + path, { rejectUnauthorized: false, agent: false })
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode === 200
  } catch {
    return false
  }
}
