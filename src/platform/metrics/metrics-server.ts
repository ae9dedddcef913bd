import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Injectable, type OnApplicationShutdown } from '@nestjs/common'
import type { Registry } from 'prom-client'
import { Settings } from '../config/settings.js'
import { causeMessage } from '../errors/cause-message.js'
import { Logger } from '../log/logger.js'
import { declareCertificate } from './certificate-metrics.js'
import { Metrics } from './metrics.js'
import { ProcessMetrics } from './process-metrics.js'
import { registryOf } from './registry.js'

/** Enough for a Prometheus or two, and a person who looks. */
const MAX_CONNECTIONS = 16
/** Its requests have neither a body nor many headers. */
const REQUEST_TIMEOUT_MS = 5_000

/** `GET /metrics` on a port of its own, so that it can never be reached by the same route as the API. */
@Injectable()
export class MetricsServer implements OnApplicationShutdown {
  private readonly logger = new Logger('Metrics')
  private readonly process = new ProcessMetrics()
  private readonly server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS })

  constructor(
    private readonly settings: Settings,
    private readonly metrics: Metrics,
  ) {}

  /** Its URL; null when it is not listening. */
  get url(): string | null {
    const address = this.server.address() as AddressInfo | null
    if (!address) return null
    const { family, address: host, port } = address
    return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}/metrics`
  }

  /** Listens on METRICS_PORT, if that is set. Rejects with Node's error when the port is taken. */
  async listen(): Promise<void> {
    const { tls, operation } = this.settings
    const { metricsPort, metricsHost } = operation
    if (metricsPort === null) return
    this.process.declareIn(this.metrics)
    if (tls) declareCertificate(tls, this.metrics)
    const registry = await registryOf(this.metrics)
    this.server.maxConnections = MAX_CONNECTIONS
    this.server.on('request', (request, response) => void this.answer(registry, request, response))
    this.server.listen(metricsPort, metricsHost)
    await once(this.server, 'listening')
    this.process.start()
    this.logger.log(`Metrics are at ${this.url}`)
  }

  async onApplicationShutdown(): Promise<void> {
    this.process.stop()
    if (!this.server.listening) return
    const closed = once(this.server, 'close')
    this.server.close()
    this.server.closeAllConnections()
    await closed
  }

  private async answer(
    registry: Registry,
    { method, url }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    response.setHeader('X-Content-Type-Options', 'nosniff')
    if (url !== '/metrics') response.writeHead(404).end()
    else if (method !== 'GET') response.writeHead(405, { Allow: 'GET' }).end()
    else await this.scrape(registry, response)
  }

  private async scrape(registry: Registry, response: ServerResponse): Promise<void> {
    try {
      const text = await registry.metrics()
      response.writeHead(200, { 'Content-Type': registry.contentType }).end(text)
    } catch (error) {
      this.logger.error(`Metrics could not be read: ${causeMessage(error)}`)
      response.writeHead(500).end()
    }
  }
}
