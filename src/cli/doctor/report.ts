import { pluralize, printable } from '../../platform/log.js'
import type { Finding, FindingStatus } from './finding.js'

/** Faults last, where somebody who runs it sees them. */
const ORDER: readonly FindingStatus[] = ['ok', 'skipped', 'warning', 'fault']
const STATUS_WIDTH = Math.max(...ORDER.map(status => status.length))

/** One line each: what was looked at, what was seen, and what to do about it. */
export function asLines(findings: readonly Finding[]): string[] {
  const sorted = ORDER.flatMap(status => findings.filter(finding => finding.status === status))
  const width = Math.max(...findings.map(({ check }) => check.length))
  return sorted.map(({ check, status, saw, todo }) => {
    const seen = `${status.padEnd(STATUS_WIDTH)}  ${check.padEnd(width)}  ${printable(saw)}`
    return todo ? `${seen} → ${todo}` : seen
  })
}

/** How many findings there are of each kind, in words. */
export function summaryOf(findings: readonly Finding[]): string {
  const count = (status: FindingStatus) => findings.filter(finding => finding.status === status).length
  return `${pluralize(count('fault'), 'fault')}, ${pluralize(count('warning'), 'warning')}, ${count('skipped')} skipped, ${count('ok')} ok`
}
