import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { PACKAGE_ROOT } from '../../../sources.js'

const FOLDER = join(PACKAGE_ROOT, 'deploy/monitoring')

/** What promtool has said of our files; rejects with that when it has found a fault. */
export async function promtool(args: readonly string[], input = ''): Promise<string> {
  const child = spawn('promtool', args, { cwd: FOLDER })
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const said = (await Promise.all([text(child.stdout), text(child.stderr)])).join('')
  if ((await ended) !== 0) throw new Error(said)
  return said
}

/** The names of metrics in the questions of the dashboard. */
export function dashboardNames(): string[] {
  return namesIn(dashboardQuestions())
}

export function ruleNames(): string[] {
  const rules = readFileSync(join(FOLDER, 'alert-rules.yml'), 'utf8')
  return namesIn([rules])
}

/** An alert with what it means and what to do about it. */
export interface Alert {
  readonly alert: string
  readonly summary: string
  readonly todo: string
}

export function alerts(): Alert[] {
  const rules = readFileSync(join(FOLDER, 'alert-rules.yml'), 'utf8')
  const found = rules.matchAll(/- alert: (\w+)[\s\S]*?summary: '(.*)'\n\s+todo: '(.*)'/g)
  return [...found].map(([, alert, summary, todo]) => ({ alert, summary, todo }) as Alert)
}

/** The bounds of buckets that either names; expressions, because Prometheus 3 writes 1 as 1.0. */
export function boundsAskedFor(): string[] {
  const texts = [...dashboardQuestions(), readFileSync(join(FOLDER, 'alert-rules.yml'), 'utf8')]
  return [
    ...new Set(
      texts.flatMap(text => [...text.matchAll(/\ble=~?"([^"]+)"/g)].map(([, bound]) => bound as string)),
    ),
  ]
}

function dashboardQuestions(): string[] {
  const { panels } = JSON.parse(readFileSync(join(FOLDER, 'grafana-dashboard.json'), 'utf8'))
  return panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  )
}

function namesIn(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap(text => text.match(/\bmainstay_[a-z0-9_]+/g) ?? []))]
}
