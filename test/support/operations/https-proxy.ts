import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { CertificateAndKey } from './certificates.js'

/** What a proxy does to an answer. */
export type AnswerChange = (headers: OutgoingHttpHeaders, question: IncomingMessage) => void

/** A proxy that terminates TLS in front of the service, and can be as badly set up as a test wishes. */
export class HttpsProxy {
  change: AnswerChange = () => {}
  /** Where requests go, in turn. */
  backends: readonly string[]
  private turn = 0

  private constructor(
    private readonly server: Server,
    backend: string,
  ) {
    this.backends = [backend]
  }

  static async start(backend: string, certificate: CertificateAndKey): Promise<HttpsProxy> {
    const server = createServer(certificate)
    const proxy = new HttpsProxy(server, backend)
    server.on('request', (question, reply) => {
      const to = new URL(question.url ?? '/', proxy.nextBackend())
      const { method, headers } = question
      const passedOn = request(to, { method, headers, agent: false }, answer => {
        const changed: OutgoingHttpHeaders = { ...answer.headers }
        proxy.change(changed, question)
        reply.writeHead(answer.statusCode ?? 500, changed)
        answer.pipe(reply)
      })
      passedOn.on('error', () => reply.writeHead(502).end())
      question.pipe(passedOn)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** For new connections. */
  set certificate(certificate: CertificateAndKey) {
    this.server.setSecureContext(certificate)
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise(resolve => this.server.close(resolve))
  }

  private nextBackend(): string {
    return this.backends[this.turn++ % this.backends.length] as string
  }
}
