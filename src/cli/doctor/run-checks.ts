import { causeMessage } from '../../platform/errors/api-error.js'
import { within } from '../../platform/time.js'
import { type Check, type Finding, fault } from './finding.js'

/** Longer than any part of a check waits for an answer, so that their own explanations come first. */
const LIMIT_MS = 60_000

/** The findings of all checks, in their order. Never rejects: a check that fails is a fault. */
export async function runChecks(checks: readonly Check[], limitMs = LIMIT_MS): Promise<Finding[]> {
  const findings = await Promise.all(checks.map(check => runCheck(check, limitMs)))
  return findings.flat()
}

/** Like {@link runChecks}, one after the other, for checks that share a connection. */
export async function runInTurn(checks: readonly Check[], limitMs = LIMIT_MS): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of checks) findings.push(...(await runCheck(check, limitMs)))
  return findings
}

async function runCheck(check: Check, limitMs: number): Promise<readonly Finding[]> {
  try {
    const run = (async () => check.run())()
    return await (check.isGroup ? run : within(limitMs, run))
  } catch (error) {
    const { name, todo } = check
    return [fault(name, causeMessage(error), typeof todo === 'string' ? todo : todo(error))]
  }
}
