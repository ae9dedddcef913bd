import { appendFileSync } from 'node:fs'
import { expect } from '@jest/globals'
import { FAULTS, type Seen } from './matrix.js'

/**
 * Notes what a test has seen of a fault of matrix.json. Fails when that is not what the matrix says that it measures, or when
 * something was lost. RELIABILITY_FILE, which `npm run test:faults -- report` sets, gets a line of JSON.
 */
export function saw(id: string, seen: Seen): void {
  const measures = FAULTS.find(fault => fault.id === id)?.measures
  expect(Object.keys(seen).sort()).toEqual(measures?.toSorted())
  expect(seen.lost ?? 0).toBe(0)
  if (process.env.RELIABILITY_FILE)
    appendFileSync(process.env.RELIABILITY_FILE, `${JSON.stringify({ id, ...seen })}\n`)
}
