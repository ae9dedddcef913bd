import { MetricsServer } from '../sources.js'
import type { TestApp } from './test-app.js'

/** What one scrape has answered. */
export interface Scrape {
  readonly text: string
  /** By the name with its labels as they were written, such as `mainstay_part_up{part="database"}`. */
  readonly values: ReadonlyMap<string, number>
}

/** Scrapes a service that was started with METRICS_PORT, as Prometheus would. */
export async function scrape({ app }: Pick<TestApp, 'app'>): Promise<Scrape> {
  const answer = await fetch(app.get(MetricsServer).url as string)
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`the scrape was answered ${answer.status} ${text}`)
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  const pairs = lines.map(line => /^(.*) (\S+)$/.exec(line) as RegExpExecArray)
  return { text, values: new Map(pairs.map(([, series, value]) => [series as string, Number(value)])) }
}
