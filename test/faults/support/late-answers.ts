import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiRequest, PaymentSandbox } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import type { ModelWorld } from '../billing/billing-world.js'

/** Fewer than all processes have slots for. */
const CUSTOMERS = 12
/** Longer than the newer look takes, and well under the patience of the service. */
const LATE_MS = 2_000
/** For what is written when the answer is there. */
const AFTERWARDS_MS = 500

interface Steps {
  /** Posts what has happened at the provider until it is answered. */
  post(): Promise<void>
  /** The claims of live workers run out, too. */
  claimsRunOut(): Promise<void>
  /** Resolves when every event has had its effect. */
  handled(): Promise<void>
}

/**
 * Of some customers: a worker's look, whose answer takes long; a change meanwhile, which another worker sees; then the
 * first answer, which is old by now. Chance alone brings this about too seldom in a short run.
 */
export async function answersComeLate({ sandbox }: ModelWorld, steps: Steps): Promise<void> {
  const chosen = sandbox
    .subscriptions()
    .filter(({ status }) => status !== 'canceled' && status !== 'incomplete')
    .slice(0, CUSTOMERS)
  const last = sandbox.requests.at(-1)
  sandbox.slowMs = LATE_MS
  sandbox.fault = 'late-answer'
  for (const { id } of chosen) await sandbox.simulate.changeSubscription(id, { status: 'past_due' })
  await steps.post()
  await eventually(() => chosen.every(({ customer }) => isAskedAbout(sandbox, customer, last)), {
    what: 'every customer to be looked at',
    timeoutMs: 30_000,
  })
  const answeredAt = performance.now() + LATE_MS
  sandbox.fault = null
  for (const { id } of chosen) await sandbox.simulate.changeSubscription(id, { status: 'active' })
  await steps.claimsRunOut()
  await steps.post()
  await steps.handled()
  await sleep(Math.max(answeredAt - performance.now(), 0) + AFTERWARDS_MS)
}

function isAskedAbout({ requests }: PaymentSandbox, customer: string, after?: ApiRequest): boolean {
  const since = after ? requests.lastIndexOf(after) + 1 : 0
  return requests.slice(since).some(({ query }) => `${query}`.includes(customer))
}
