import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js'
import type { ResponseObserver } from '../http/edge/responses.js'
import { Durations } from './durations.js'
import { countsOf, type Metrics } from './metrics.js'

/** The operations that service levels cover; everything else is `other`. */
const OPERATIONS = ['login', 'refresh', 'data', 'other'] as const
const STATUSES = ['2xx', '4xx', '5xx'] as const
/** The bounds that the service levels use: docs/operations.md. */
const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000]

/** Counts answers and refusals. It runs for every request, so it allocates nothing per request. */
export class RequestMetrics implements ResponseObserver {
  private readonly refusals = countsOf(Object.keys(ERROR_CODES) as ErrorCode[])
  private readonly durations = new Durations(
    'request_duration_seconds',
    'How long requests took, by operation and class of status',
    BOUNDS_MS,
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
    const operation = operationOf(method, url)
    this.durations.observe(milliseconds, operation * STATUSES.length + classOf(status))
  }

  refused(code: ErrorCode): void {
    this.refusals[code]++
  }
}

/** An index of {@link OPERATIONS}; preflights of the same paths are `other`. */
function operationOf(method: string, url: string): number {
  if (method === 'POST') {
    if (url === '/api/refresh' || url === '/api/refresh?optional=true') return 1
    return url === '/api/login' ? 0 : 3
  }
  return method === 'GET' && url === '/api/data' ? 2 : 3
}

/** An index of {@link STATUSES}. */
function classOf(status: number): number {
  if (status < 400) return 0
  return status < 500 ? 1 : 2
}
