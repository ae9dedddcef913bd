import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Metrics } from './metrics.js'

const RESOLUTION_MS = 10
const NANOSECONDS = 1e9
const MICROSECONDS = 1e6

/**
 * Metrics of the process and its event loop, under the names that prom-client uses. prom-client's own cannot
 * be stopped: a service inside another program would go on measuring after it was closed.
 */
export class ProcessMetrics {
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
