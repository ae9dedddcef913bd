import { cpus } from 'node:os'

/** Date, Node and machine of a run, and what it took; `how` says what was done. */
export function heading(how, seconds) {
  const [{ model }] = cpus()
  return (
    `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} cores ` +
    `(${model.trim()}), ${how}; ${Math.round(seconds)} s in all.`
  )
}

/** A markdown table; every column but the first is aligned to the right. */
export function markdownTable(head, rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)].join(
    '\n',
  )
}

/** Empty for what has no bar (null). */
export function verdict(holds) {
  if (holds === null) return ''
  return holds ? 'holds' : '**missed**'
}

/** Prints the report. The exit code of the run is 1 when a bar is missed. */
export function print(text, verdicts) {
  console.log(text)
  if (verdicts.includes(false)) process.exitCode = 1
}

/** Does `work` and says on standard error what took how long: standard output is the report alone. */
export async function step(name, work) {
  const startedAt = performance.now()
  const result = await work()
  console.error(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The median of the ratios of each round: a slow round slows both. */
export function medianRatio(ours, theirs) {
  return median(ours.map((value, round) => value / theirs[round]))
}
