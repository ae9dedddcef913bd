import { jest } from '@jest/globals'
import type { Database } from '../sources.js'
import { aGate } from './gate.js'

/** Holds what continues reports until `open` is called. `reports` sees all of them; restore it. */
export function holdContinuedReports(database: Database) {
  const { opened, open } = aGate()
  const report = database.report.bind(database)
  const reports = jest.spyOn(database, 'report').mockImplementation(async (work, options) => {
    if (options?.isContinuation) await opened
    return report(work, options)
  })
  return { reports, open }
}
