import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const NOTICED = new Set(['Killed', 'Timeout'])
const UNNOTICED = new Set(['Survived', 'NoCoverage'])

/** A row for each file of a room and one for the room, as cells of a table. */
export function scoresOf(room, results, root) {
  const byFile = Map.groupBy(results, ({ fileName }) => relative(root, fileName))
  const rows = [...byFile].sort(([a], [b]) => a.localeCompare(b)).map(([file, own]) => row(file, own))
  return [row(`**${room}**`, results), ...rows]
}

function row(name, results) {
  const count = statuses => results.filter(({ status }) => statuses.has(status)).length
  const noticed = count(NOTICED)
  const survived = count(new Set(['Survived']))
  const unreached = count(new Set(['NoCoverage']))
  return [name, percentage(noticed, noticed + survived + unreached), noticed, survived, unreached]
}

export function percentage(part, whole) {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`
}

/** What nobody noticed, each with its place, the line, and what stood there instead. */
export function survivorsOf(results, root) {
  return results
    .filter(({ status }) => UNNOTICED.has(status))
    .map(({ fileName, location, replacement, mutatorName, status }) => {
      const { start, end } = location
      const lines = readFileSync(fileName, 'utf8').split('\n')
      const first = lines[start.line - 1]
      const original =
        start.line === end.line
          ? first.slice(start.column - 1, end.column - 1)
          : `${first.slice(start.column - 1)} …`
      const unreached = status === 'NoCoverage' ? ' (not reached)' : ''
      return [
        `${relative(root, fileName)}:${start.line}:${start.column} ${mutatorName}${unreached}`,
        `  line  ${first.trim()}`,
        `  -     ${original}`,
        `  +     ${replacement.replaceAll('\n', ' ')}`,
        '',
      ].join('\n')
    })
}

export function markdownTable(rows) {
  const header = ['File', 'Score', 'Noticed', 'Survived', 'Not reached']
  const line = cells => `| ${cells.join(' | ')} |`
  return [line(header), line(['---', '--:', '--:', '--:', '--:']), ...rows.map(line)].join('\n')
}
