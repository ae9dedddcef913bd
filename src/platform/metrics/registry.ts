import type { Metric, Registry } from 'prom-client'
import type { Durations } from './durations.js'
import type { Measure, Metrics, Reading } from './metrics.js'

const PREFIX = 'mainstay_'

/** The prom-client registry that serves `metrics`. The package is loaded only here. */
export async function registryOf(metrics: Metrics): Promise<Registry> {
  const { Counter, Gauge, Registry } = await import('prom-client')
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
  for (const durations of metrics.histograms) registry.registerMetric(asMetric(durations))
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

/** All that prom-client needs of a metric that it serves. */
function asMetric(durations: Durations): Metric {
  const name = `${PREFIX}${durations.name}`
  const { type, help } = durations
  const get = async () => ({ name, help, type, aggregator: 'sum', values: durations.samples(name) })
  return { name, help, get } as unknown as Metric
}
