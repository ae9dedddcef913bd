// What was decided here, and why: docs/decisions/metrics-and-traces-cost-nothing-when-off.md
import { FastifyOtelInstrumentation } from '@fastify/otel'
import { context, type Span, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { FastifyInstance } from 'fastify'
import { within } from './time.js'
import { type SpanMaker, Tracing } from './tracing.js'

/** A collector that does not answer must not delay shutdown. */
const END_WITHIN_MS = 2_000

/** Traces the requests of `server`, which has no routes yet, and sends them to the collector at `endpoint`. */
export async function traceWithOpenTelemetry(server: FastifyInstance, endpoint: URL): Promise<Tracing> {
  // There is one for the whole process; an existing one is kept.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const exporter = new OTLPTraceExporter({ url: `${endpoint.href.replace(/\/+$/, '')}/v1/traces` })
  const provider = new BasicTracerProvider({
    // The package reads OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
    resource: resourceFromAttributes({ 'service.name': 'mainstay' }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  const instrumentation = new FastifyOtelInstrumentation({
    instrumentHooks: false,
    recordExceptions: false,
    requestHook: (span, request) => {
      withoutMessages(span)
      const route = request.routeOptions.url ?? 'no route'
      span.updateName(`${request.method} ${route}`)
      // The path itself may contain identifiers.
      span.setAttribute('url.path', route)
    },
    lifecycleHook: withoutMessages,
  })
  instrumentation.setTracerProvider(provider)
  await server.register(instrumentation.plugin())
  const end = () => within(END_WITHIN_MS, provider.shutdown()).catch(() => {})
  return new Tracing(spanMaker(provider), end)
}

/** An error message may quote what a client has sent. */
function withoutMessages(span: Span): void {
  const setStatus = span.setStatus.bind(span)
  span.setStatus = ({ code }) => setStatus({ code })
}

function spanMaker(provider: BasicTracerProvider): SpanMaker {
  const tracer = provider.getTracer('mainstay')
  return (name, work) => {
    const span = tracer.startSpan(name)
    return context.with(trace.setSpan(context.active(), span), async () => {
      try {
        return await work()
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })
  }
}
