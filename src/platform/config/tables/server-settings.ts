import { availableParallelism } from 'node:os'
import * as address from '../reading/address-readers.js'
import type { SettingsTable } from '../reading/setting.js'
import * as read from '../reading/setting-readers.js'

const ENVIRONMENTS = ['development', 'test', 'production'] as const
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const

/** Anything longer also needs a patient orchestrator: most kill after 30 s. */
const MAX_DRAIN_SECONDS = 300
const MAX_CONNECTIONS = 1_000_000
/** Each takes 19 MiB. */
const MAX_HASH_CONCURRENCY = 128

export const SERVER_SETTINGS = {
  environment: {
    name: 'NODE_ENV',
    read: read.oneOf(...ENVIRONMENTS),
    // The strictest, so that nobody runs production with a laptop's settings because something was forgotten.
    default: 'production',
    meaning: 'Selects the file `config/<NODE_ENV>.env`, and how strictly settings are checked',
    examples: { development: null, production: null },
  },
  host: {
    name: 'HOST',
    read: read.asText,
    default: { production: '0.0.0.0', otherwise: 'localhost' },
    meaning: 'The address to listen on',
  },
  port: {
    name: 'PORT',
    read: read.wholeNumber(0, 65_535),
    default: '3000',
    meaning: 'The port to listen on; 0 takes any free one',
  },
  tlsCertFile: {
    name: 'TLS_CERT_FILE',
    read: read.orNull(read.asText),
    default: '',
    defaultInWords: 'plain HTTP, for a proxy that terminates TLS',
    meaning: 'Certificate (PEM) for serving TLS directly; set together with `TLS_KEY_FILE`',
  },
  tlsKeyFile: {
    name: 'TLS_KEY_FILE',
    read: read.orNull(read.asText),
    default: '',
    meaning: 'Private key (PEM) of that certificate',
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    read: read.listOf(address.proxyAddress),
    default: '',
    defaultInWords: 'no proxy is trusted',
    meaning:
      'IP addresses or CIDR blocks, comma-separated, of the proxies whose `X-Forwarded-For` is trusted',
  },
  maxConnections: {
    name: 'MAX_CONNECTIONS',
    read: read.wholeNumber(1, MAX_CONNECTIONS),
    default: '10000',
    meaning:
      'Client connections that one process accepts, at most as many as its limit on open files allows; set the limit ' +
      'of your load balancer lower. Without `TRUST_PROXY`, one client network (an IPv4 address, an IPv6 /64) gets a ' +
      'tenth of them, and at least 16',
  },
  drainSeconds: {
    name: 'DRAIN_SECONDS',
    read: read.seconds(0, MAX_DRAIN_SECONDS),
    // HAProxy's checks take 6 s (every 2 s, three failures), plus the duration of the last one. On a laptop
    // no load balancer has to notice.
    default: { production: '8', otherwise: '0' },
    meaning:
      'How long the service still answers after SIGTERM, while `/health/ready` says 503 so that load balancers notice; ' +
      'the orchestrator must wait 12 s longer before it kills the process',
  },
  hashConcurrency: {
    name: 'HASH_CONCURRENCY',
    read: read.wholeNumber(1, MAX_HASH_CONCURRENCY),
    default: String(Math.min(availableParallelism(), MAX_HASH_CONCURRENCY)),
    defaultInWords: 'the number of CPU cores',
    meaning:
      'Passwords hashed at the same time, 19 MiB each; above 4, set `UV_THREADPOOL_SIZE` to two more than the ' +
      'number of cores, in the environment of the process: it is not one of these settings',
  },
  metricsPort: {
    name: 'METRICS_PORT',
    read: read.orNull(read.wholeNumber(0, 65_535)),
    default: '',
    defaultInWords: 'no metrics are served',
    meaning:
      'A separate port for `GET /metrics`, in the format of Prometheus; 0 takes any free one. Each process needs its own',
  },
  metricsHost: {
    name: 'METRICS_HOST',
    read: read.asText,
    default: '127.0.0.1',
    meaning: 'The address that `METRICS_PORT` listens on; never one that strangers can reach',
  },
  tracesUrl: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    read: read.orNull(address.urlOf('http:', 'https:')),
    default: '',
    defaultInWords: 'no traces',
    meaning: 'A collector that accepts traces by OTLP over HTTP; they are sent to `/v1/traces` there',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    read: read.oneOf(...LOG_LEVELS),
    default: 'info',
    meaning: 'The lowest severity that is logged',
  },
} as const satisfies SettingsTable

/** OWASP Password Storage (2024): Argon2id with 19 MiB. */
export const HASH_MEMORY_KIB = 19_456

/**
 * Read with NODE_ENV=test alone, and documented nowhere else: tests hash thousands of passwords, of which a few have to
 * cost what they cost in production.
 */
export const TEST_SETTINGS = {
  hashMemoryKib: {
    name: 'HASH_MEMORY_KIB',
    read: read.wholeNumber(8, HASH_MEMORY_KIB),
    default: String(HASH_MEMORY_KIB),
    meaning: 'The memory that one hash of a password takes',
  },
} as const satisfies SettingsTable
