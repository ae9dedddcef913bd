import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { FAULTS, type Fault } from './matrix.js'

const ROWS = readFileSync('docs/reliability.md', 'utf8')
  .split('<!-- faults -->')[1]!
  .split('<!-- end of faults -->')[0]!
  .split('\n')
  .filter(line => line.startsWith('| '))
  .slice(1)
  .map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )

describe('docs/reliability.md', () => {
  it('has a row for every fault, and no other', () => {
    expect(ROWS.map(([fault]) => fault)).toEqual(FAULTS.map(({ fault }) => fault))
    expect(new Set(FAULTS.map(({ id }) => id)).size).toBe(FAULTS.length)
  })

  it.each(FAULTS.map((fault, index) => [fault.id, fault, index] as const))(
    '%s: says what its test has seen, and no more',
    (_, fault, index) => {
      const [, happens, status, answered, recovered, lost, test] = ROWS[index] as string[]
      const { measures } = fault
      const claimed = { status, answeredMs: answered, recoveredMs: recovered, lost }
      const names = Object.entries(claimed).flatMap(([name, cell]) => (cell ? [name] : []))
      expect(names.sort()).toEqual(measures.toSorted())
      if (!fault.test) {
        expect({ happens, test, measures }).toEqual({ happens: notTried(fault), test: '', measures: [] })
        return
      }
      expect(happens).toBe(fault.happens)
      expect(test).toBe(`\`${fault.test.file.replace(/^test\//, '')}\`: ${fault.test.name}`)
      const source = readFileSync(fault.test.file, 'utf8')
      expect(source).toContain(`'${fault.test.name}'`)
      // session-store-outage.test.ts has two faults in a table.
      if (measures.length > 0) expect(source).toContain(`'${fault.id}'`)
    },
  )
})

function notTried({ happens }: Fault): string {
  return ['no test', happens].filter(Boolean).join(': ')
}
