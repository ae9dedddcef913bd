import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A span as it arrives by OTLP, in JSON. */
export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[]
  readonly status: { readonly code?: number; readonly message?: string }
}

/** A small collector of traces: OTLP over HTTP, as JSON. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = []
  /** Everything that has arrived, as text. */
  received = ''

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TraceCollector> {
    const server = createServer()
    const collector = new TraceCollector(server)
    server.on('request', async (request, response) => {
      if (request.url === '/v1/traces') collector.take((await json(request)) as Export)
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return collector
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** The spans of the first, or last, trace whose root has this name, without the root; null when there is none. */
  below(rootName: string, which: 'first' | 'last' = 'first'): readonly CollectedSpan[] | null {
    const roots = this.spans.filter(({ name, parentSpanId }) => name === rootName && !parentSpanId)
    const root = roots.at(which === 'first' ? 0 : -1)
    return root ? this.spans.filter(span => span.traceId === root.traceId && span !== root) : null
  }

  stop(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  private take(sent: Export): void {
    this.received += JSON.stringify(sent)
    for (const { scopeSpans } of sent.resourceSpans)
      for (const { spans } of scopeSpans) this.spans.push(...spans)
  }
}

interface Export {
  readonly resourceSpans: { readonly scopeSpans: { readonly spans: CollectedSpan[] }[] }[]
}
