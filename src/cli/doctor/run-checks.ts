import { within } from '../../clock/time-limit.js'
import { causeMessage } from '../../errors/cause-message.js'
import { type Check, type Finding, fault } from './finding.js'

/** Longer than any part of a check waits for an answer, so that their own explanations come first. */
const LIMIT_MS = 60_000

/** The findings of all checks, in their order. Never rejects: a check that fails is a fault. */
export async function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  const findings = await Promise.all(checks.map(runCheck))
  return findings.flat()
}

/** Like {@link runChecks}, one after the other, for checks that share a connection. */
export async function runInTurn(checks: readonly Check[]): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of checks) findings.push(...(await runCheck(check)))
  return findings
}

async function runCheck(check: Check): Promise<readonly Finding[]> {
  try {
    return await within(LIMIT_MS, (async () => check.run())())
  } catch (error) {
    return [fault(check.name, causeMessage(error), check.todo)]
  }
}
