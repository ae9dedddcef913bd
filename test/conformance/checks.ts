import { answerChecks } from './checks/answer.checks.js'
import { attemptChecks } from './checks/attempt.checks.js'
import { connectionChecks } from './checks/connection.checks.js'
import { logChecks } from './checks/log.checks.js'
import { loginChecks } from './checks/login.checks.js'
import { paymentChecks } from './checks/payment.checks.js'
import { sequenceChecks } from './checks/sequence.checks.js'
import { sessionChecks } from './checks/session.checks.js'
import { webhookChecks } from './checks/webhook.checks.js'
import type { Check } from './scene.js'

const CHECKS: Readonly<Record<string, Check>> = {
  ...sessionChecks,
  ...loginChecks,
  ...attemptChecks,
  ...paymentChecks,
  ...webhookChecks,
  ...answerChecks,
  ...connectionChecks,
  ...logChecks,
  ...sequenceChecks,
}

/** The check of an `invariant` or `sideEffect`, found by its sentence; throws where there is none: no sentence passes unread. */
export function checkFor(sentence: string): Check {
  const check = CHECKS[sentence]
  if (!check) throw new Error(`no check for this invariant: ${sentence}`)
  return check
}
