import { ApiError } from '../http/api-error.js'
import type { Simulator } from './simulator.js'

/** Each takes the id of a checkout, a subscription, a dispute or a customer. */
const SIMULATIONS = {
  'card-declined': (simulate, id) => simulate.declineCard(id),
  'checkout-expires': (simulate, id) => simulate.expire(id),
  'payment-needs-action': (simulate, id) => simulate.payUnconfirmed(id),
  'payment-succeeds': (simulate, id) => simulate.settleBankDebit(id, 'succeeded'),
  'payment-fails': (simulate, id) => simulate.settleBankDebit(id, 'failed'),
  'first-payment-expires': (simulate, id) => simulate.expireFirstPayment(id),
  'renewal-fails': (simulate, id) => simulate.failPayment(id),
  'renewal-needs-action': (simulate, id) => simulate.requireAction(id),
  'invoice-paid': (simulate, id) => simulate.recoverPayment(id),
  'trial-ends-soon': (simulate, id) => simulate.endTrialSoon(id),
  'trial-ends': (simulate, id) => simulate.endTrial(id),
  paused: (simulate, id) => simulate.pause(id),
  'paused-after-failure': (simulate, id) => simulate.pauseAfterFailure(id),
  resumed: (simulate, id) => simulate.resume(id),
  canceled: (simulate, id) => simulate.cancel(id),
  refunded: (simulate, id) => simulate.refund(id),
  disputed: (simulate, id) => simulate.dispute(id),
  'dispute-won': (simulate, id) => simulate.closeDispute(id, 'won'),
  'dispute-lost': (simulate, id) => simulate.closeDispute(id, 'lost'),
  'customer-deleted': (simulate, id) => simulate.deleteCustomer(id),
} satisfies Record<string, (simulate: Simulator, id: string) => Promise<unknown>>

export type Simulation = keyof typeof SIMULATIONS

/**
 * Runs the simulation of that name. Rejects with an ApiError: 404 for an unknown name or id, 409 when it is
 * impossible now.
 */
export async function runSimulation(name: string, id: string, simulator: Simulator): Promise<void> {
  if (!Object.hasOwn(SIMULATIONS, name))
    throw new ApiError(404, 'invalid_request_error', `There is no simulation called '${name}'`)
  try {
    await SIMULATIONS[name as Simulation](simulator, id)
  } catch (error) {
    // A plain Error says that the object is in the wrong state; a TypeError or the like is a bug.
    if ((error as Error).constructor !== Error) throw error
    throw new ApiError(409, 'invalid_request_error', (error as Error).message)
  }
}
