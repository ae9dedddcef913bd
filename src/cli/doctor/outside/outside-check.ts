import { causeMessage } from '../../../platform/errors/api-error.js'
import { type Check, type Finding, fault, skipped } from '../finding.js'
import { notStarted } from '../no-answer.js'
import { runInTurn } from '../run-checks.js'
import { checkCookie } from './cookie-check.js'
import { checkPreflights, checkVary } from './cors-check.js'
import { checkHttps } from './https-check.js'
import { openSatellite } from './open-satellite.js'
import type { Outside } from './outside.js'
import { checkAgreement, checkJwks } from './published-keys-check.js'

const TODO = 'Look at the proxy and the log of the service'

/** Everything about the running service as its clients reach it. It sends no password and changes nothing. */
export function outsideCheck(outside: Outside): Check {
  return { name: 'service.answer', todo: TODO, isGroup: true, run: () => checkOutside(outside) }
}

async function checkOutside(outside: Outside): Promise<Finding[]> {
  let reached: Finding[]
  try {
    reached = await checkHttps(outside)
  } catch (error) {
    const check = 'service.answer'
    const saw = `${outside.origin.href} cannot be reached: ${causeMessage(error)}`
    return [
      notStarted(check, outside.settings, outside.origin, error) ??
        fault(check, saw, 'Start the service, or correct its name and proxy'),
      skipped('service', 'nothing more can be asked from outside'),
    ]
  }
  const satellite = await openSatellite(outside.settings)
  const checks: Check[] = [
    { name: 'cors.preflight', todo: TODO, run: () => checkPreflights(outside, satellite) },
    { name: 'cors.vary', todo: TODO, run: () => checkVary(outside, satellite) },
    { name: 'cookie', todo: TODO, run: () => checkCookie(outside) },
    { name: 'keys.published', todo: TODO, run: () => checkJwks(outside) },
    { name: 'keys.agreement', todo: TODO, run: () => checkAgreement(outside) },
  ]
  return [...reached, ...(await runInTurn(checks))]
}
