import {
  Agent,
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from '../http-request.js'

export interface Checks {
  readonly everyMs: number
  /** In a row, until a backend is taken out; one success brings it back. */
  readonly failures: number
}

interface Backend {
  readonly url: string
  failures: number
}

/**
 * A small HTTP load balancer: takes turns between the backends whose `/health/ready` answers 200, over connections that it
 * keeps, and repeats nothing. 502 when a backend breaks off, 503 with `No backend` when none is left.
 */
export class Balancer {
  private readonly agent = new Agent({ keepAlive: true })
  private turn = 0
  private timer?: NodeJS.Timeout

  private constructor(
    private readonly server: Server,
    private readonly backends: Backend[],
    private readonly checks: Checks,
  ) {}

  static async start(urls: readonly string[], checks: Checks): Promise<Balancer> {
    const server = createServer((incoming, outgoing) => balancer.pass(incoming, outgoing))
    const balancer: Balancer = new Balancer(
      server,
      urls.map(url => ({ url, failures: 0 })),
      checks,
    )
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    balancer.timer = setInterval(() => void balancer.check(), checks.everyMs)
    return balancer
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** How many backends it sends to. */
  get upCount(): number {
    return this.backends.filter(backend => this.isUp(backend)).length
  }

  async stop(): Promise<void> {
    clearInterval(this.timer)
    this.agent.destroy()
    this.server.closeAllConnections()
    await new Promise(resolve => this.server.close(resolve))
  }

  private isUp({ failures }: Backend): boolean {
    return failures < this.checks.failures
  }

  private async check(): Promise<void> {
    await Promise.all(
      this.backends.map(async backend => {
        const isReady = await request(backend.url, { path: '/health/ready', timeoutMs: 2_000 }).then(
          ({ status }) => status === 200,
          () => false,
        )
        backend.failures = isReady ? 0 : backend.failures + 1
      }),
    )
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const up = this.backends.filter(backend => this.isUp(backend))
    const backend = up[this.turn++ % up.length]
    if (!backend) {
      outgoing.writeHead(503).end('No backend')
      return
    }
    const { connection, ...headers } = incoming.headers
    const options = { agent: this.agent, method: incoming.method, headers }
    const onward = forward(new URL(incoming.url ?? '/', backend.url), options, answer => {
      const { connection: _, ...own } = answer.headers
      outgoing.writeHead(answer.statusCode as number, own)
      answer.pipe(outgoing)
    })
    onward.on('error', error => {
      if (!outgoing.headersSent) outgoing.writeHead(502)
      outgoing.end(error.message)
    })
    incoming.pipe(onward)
  }
}
