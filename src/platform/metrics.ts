// What was decided here, and why: docs/decisions/metrics-and-traces-cost-nothing-when-off.md

import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { type DynamicModule, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { parse } from 'tldts'
import { withoutByteOrderMark } from './config/byte-order-mark.js'
import { isWithin } from './config/origin.js'
import { Settings, type TlsSettings } from './config/settings.js'
import { causeMessage, ERROR_CODES, type ErrorCode } from './errors/api-error.js'
import type { ResponseObserver } from './http/edge/responses.js'
import { Logger, printable } from './log.js'
import { within } from './time.js'

/** Just under a scrape interval of 15 s: several scrapers cost no more than one. */
const FRESH_MS = 14_000
/** A scrape waits no longer than this, because Prometheus gives up after 10 s. */
const WITHIN_MS = 2_000

/**
 * A value that is too expensive to read at every scrape: read at most about every 15 s, however many ask.
 * Null while it cannot be read.
 */
class CachedReading<T> {
  /** How many readings failed. */
  failures = 0
  private readAt = Number.NEGATIVE_INFINITY
  private reading: Promise<T | null> = Promise.resolve(null)

  constructor(private readonly read: () => Promise<T>) {}

  get(): Promise<T | null> {
    if (performance.now() - this.readAt < FRESH_MS) return this.reading
    this.readAt = performance.now()
    this.reading = within(WITHIN_MS, this.read()).catch(() => {
      this.failures++
      return null
    })
    return this.reading
  }
}

const PREFIX = 'mainstay_'

/**
 * How long something takes, in seconds; its `name` ends in `_seconds`. `series` are the labels of each series: all of
 * them are served from the start, so that a rate begins at zero.
 */
export function durations<Label extends string>(
  name: string,
  help: string,
  buckets: number[],
  series: readonly Readonly<Record<Label, string>>[],
): Histogram<Label> {
  const labelNames = Object.keys(series[0] ?? {}) as Label[]
  const histogram = new Histogram({ name: `${PREFIX}${name}`, help, buckets, labelNames, registers: [] })
  for (const labels of series) histogram.zero(labels)
  return histogram
}

/** The current number, or one per label value; null, or an absent label value, when it is not known. */
type Reading = number | null | Readonly<Record<string, number>>

/** A series, or one per value of its `label`. `read` is called at each scrape and at no other time. */
interface Measure {
  readonly name: string
  /** A sentence without the full stop. */
  readonly help: string
  /** Must have few values, all known in advance: never an origin, an account, a user or an address. */
  readonly label?: string
  readonly read: () => Reading | Promise<Reading>
}

/**
 * The metrics of one service. Each part counts in plain numbers of its own and declares here how to read
 * them, so counting costs next to nothing, whether or not anybody scrapes. The prefix `mainstay_` is added to
 * the names.
 */
export class Metrics {
  readonly counters: Measure[] = []
  readonly gauges: Measure[] = []
  readonly histograms: Histogram[] = []
  private readonly parts = new Map<string, CachedReading<unknown>>()

  constructor() {
    this.counter({
      name: 'collect_errors_total',
      help: 'Readings that failed or took too long; what they are about is missing meanwhile',
      label: 'part',
      read: () => Object.fromEntries([...this.parts].map(([part, { failures }]) => [part, failures])),
    })
  }

  /** A number that only grows while the process runs; its name ends in `_total`. */
  counter(measure: Measure): void {
    this.counters.push(measure)
  }

  /** A number that goes up and down. */
  gauge(measure: Measure): void {
    this.gauges.push(measure)
  }

  /** How long something took: {@link durations}. */
  histogram(histogram: Histogram): void {
    this.histograms.push(histogram)
  }

  /** A value that several gauges share and that takes a query to read: see {@link CachedReading}. */
  cached<T>(part: string, read: () => Promise<T>): () => Promise<T | null> {
    const reading = new CachedReading(read)
    this.parts.set(part, reading)
    return () => reading.get()
  }
}

/** A zero count for each of these label values. */
export function countsOf<const T extends string>(values: readonly T[]): Record<T, number> {
  return Object.fromEntries(values.map(value => [value, 0])) as Record<T, number>
}

/** The prom-client registry that serves `metrics`. */
function registryOf(metrics: Metrics): Registry {
  const registry = new Registry()
  for (const measure of metrics.counters)
    new Counter({
      ...described(measure, registry),
      async collect() {
        const reading = await measure.read()
        this.reset()
        for (const [labels, value] of valuesOf(measure, reading)) this.inc(labels, value)
      },
    })
  for (const measure of metrics.gauges)
    new Gauge({
      ...described(measure, registry),
      async collect() {
        const reading = await measure.read()
        this.reset()
        // Without a label it would be zero, which is not the same as unknown.
        if (!measure.label) this.remove()
        for (const [labels, value] of valuesOf(measure, reading)) this.set(labels, value)
      },
    })
  for (const histogram of metrics.histograms) registry.registerMetric(histogram)
  return registry
}

function described({ name, help, label }: Measure, registry: Registry) {
  return { name: `${PREFIX}${name}`, help, labelNames: label ? [label] : [], registers: [registry] }
}

function valuesOf({ label }: Measure, reading: Reading): [Record<string, string>, number][] {
  if (reading === null) return []
  if (typeof reading === 'number') return [[{}, reading]]
  return Object.entries(reading).map(([value, number]) => [{ [label as string]: value }, number])
}

/** The operations that service levels cover; everything else is `other`. */
const OPERATIONS = ['login', 'refresh', 'data', 'other'] as const
const STATUSES = ['2xx', '4xx', '5xx'] as const
/** The bounds that the service levels use: docs/operations/watching.md. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Counts answers and refusals. */
export class RequestMetrics implements ResponseObserver {
  private readonly refusals = countsOf(Object.keys(ERROR_CODES) as ErrorCode[])
  private readonly durations = durations(
    'request_duration_seconds',
    'How long requests took, by operation and class of status',
    BUCKETS,
    OPERATIONS.flatMap(operation => STATUSES.map(status => ({ operation, status }))),
  )

  declareIn(metrics: Metrics): void {
    metrics.histogram(this.durations)
    metrics.counter({
      name: 'refusals_total',
      help: 'Requests refused, by the code of the answer',
      label: 'code',
      read: () => this.refusals,
    })
  }

  responded(method: string, url: string, status: number, milliseconds: number): void {
    const labels = { operation: operationOf(method, url), status: classOf(status) }
    this.durations.observe(labels, milliseconds / 1000)
  }

  refused(code: ErrorCode): void {
    this.refusals[code]++
  }
}

/** Preflights of the same paths are `other`. */
function operationOf(method: string, url: string): (typeof OPERATIONS)[number] {
  if (method === 'POST') {
    if (url === '/api/refresh' || url === '/api/refresh?optional=true') return 'refresh'
    return url === '/api/login' ? 'login' : 'other'
  }
  return method === 'GET' && url === '/api/data' ? 'data' : 'other'
}

function classOf(status: number): (typeof STATUSES)[number] {
  if (status < 400) return '2xx'
  return status < 500 ? '4xx' : '5xx'
}

const RESOLUTION_MS = 10
const NANOSECONDS = 1e9
const MICROSECONDS = 1e6

/**
 * Metrics of the process and its event loop, under the names that prom-client uses. prom-client's own cannot
 * be stopped: a service inside another program would go on measuring after it was closed.
 */
class ProcessMetrics {
  private readonly lag: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

  declareIn(metrics: Metrics): void {
    this.declareLag(metrics)
    metrics.gauge({
      name: 'process_resident_memory_bytes',
      help: 'Memory of the process that is not swapped out',
      read: () => process.memoryUsage.rss(),
    })
    metrics.gauge({
      name: 'nodejs_heap_size_used_bytes',
      help: 'Memory that JavaScript objects take',
      read: () => process.memoryUsage().heapUsed,
    })
    metrics.counter({
      name: 'process_cpu_seconds_total',
      help: 'Processor time of all threads, of user and system together',
      read: () => {
        const { user, system } = process.cpuUsage()
        return (user + system) / MICROSECONDS
      },
    })
    metrics.gauge({
      name: 'process_start_time_seconds',
      help: 'When the process started, in seconds since 1970',
      read: () => performance.timeOrigin / 1000,
    })
  }

  start(): void {
    this.lag.enable()
  }

  stop(): void {
    this.lag.disable()
  }

  private declareLag(metrics: Metrics): void {
    metrics.gauge({
      name: 'nodejs_eventloop_lag_p50_seconds',
      help: 'Median of how late the event loop was since the last scrape',
      read: () => this.seconds(this.lag.percentile(50)),
    })
    metrics.gauge({
      name: 'nodejs_eventloop_lag_max_seconds',
      help: 'The most that the event loop was late since the last scrape',
      read: () => this.seconds(this.lag.max),
    })
    // Declared last of the three, because reading it resets the histogram.
    metrics.gauge({
      name: 'nodejs_eventloop_lag_p99_seconds',
      help: 'How late the event loop was at most in 99 % of cases since the last scrape',
      read: () => {
        const seconds = this.seconds(this.lag.percentile(99))
        this.lag.reset()
        return seconds
      },
    })
  }

  /** Without the sampling interval itself, which is not a delay. */
  private seconds(nanoseconds: number): number {
    return this.lag.count === 0 ? 0 : Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000)
  }
}

/** Reports how long the certificate that the service read at start is still valid. */
function declareCertificate({ certFile }: TlsSettings, metrics: Metrics): void {
  const { validFrom, validTo } = new X509Certificate(withoutByteOrderMark(readFileSync(certFile, 'utf8')))
  metrics.gauge({
    name: 'certificate_not_before_timestamp_seconds',
    help: 'From when the served certificate is valid, in seconds since 1970',
    read: () => Date.parse(validFrom) / 1000,
  })
  metrics.gauge({
    name: 'certificate_not_after_timestamp_seconds',
    help: 'Until when the served certificate is valid, in seconds since 1970',
    read: () => Date.parse(validTo) / 1000,
  })
}

/** Enough for a Prometheus or two, and a person who looks. */
const MAX_CONNECTIONS = 16
/** Its requests have neither a body nor many headers. */
const REQUEST_TIMEOUT_MS = 5_000

/**
 * `GET /metrics` on a port of its own, so that it can never be reached by the same route as the API. A name that somebody
 * else may have registered is answered 421: it could lead here from a page of theirs in an operator's browser (DNS
 * rebinding).
 */
@Injectable()
export class MetricsServer implements OnApplicationShutdown {
  private readonly logger = new Logger('Metrics')
  private readonly process = new ProcessMetrics()
  private readonly server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS })
  private hasRefusedHost = false

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
    const registry = registryOf(this.metrics)
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
    { method, url, headers: { host } }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    response.setHeader('X-Content-Type-Options', 'nosniff')
    if (host !== undefined && !isMetricsHost(host, this.settings)) this.refuseHost(host, response)
    else if (url !== '/metrics') response.writeHead(404).end()
    else if (method !== 'GET') response.writeHead(405, { Allow: 'GET' }).end()
    else await this.scrape(registry, response)
  }

  private refuseHost(host: string, response: ServerResponse): void {
    if (!this.hasRefusedHost)
      this.logger.warn(
        `METRICS_PORT does not answer requests for ${printable(host)}: scrape it by its address, or by a name that is ` +
          'not in public DNS or is in METRICS_HOST (logged once)',
      )
    this.hasRefusedHost = true
    response.writeHead(421).end('This name is not answered here; an address is\n')
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

/**
 * Whether metrics are served at this value of `Host`: an address, a name that nobody can register (`localhost`, `mainstay`,
 * `mainstay.monitoring.svc.cluster.local`), METRICS_HOST, or a name in the domain of PUBLIC_URL or MAIN_ORIGIN.
 */
export function isMetricsHost(
  host: string,
  { publicUrl, mainOrigin, operation }: Pick<Settings, 'publicUrl' | 'mainOrigin' | 'operation'>,
): boolean {
  if (!URL.canParse(`http://${host}`)) return false
  const { hostname, domain, isIcann } = parse(new URL(`http://${host}`).hostname)
  if (!hostname || !isIcann || domain === null) return true
  const sites = [publicUrl, mainOrigin].map(url => parse(url, { allowPrivateDomains: true }).domain)
  return (
    hostname === operation.metricsHost.toLowerCase() ||
    sites.some(site => site !== null && isWithin(hostname, site))
  )
}

/** Makes the metrics of one service injectable everywhere in it. */
@Module({})
export class MetricsModule {
  static with(metrics: Metrics): DynamicModule {
    return {
      module: MetricsModule,
      global: true,
      providers: [{ provide: Metrics, useValue: metrics }, MetricsServer],
      exports: [Metrics],
    }
  }
}
