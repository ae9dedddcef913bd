import { ApiError } from '../errors/api-error.js'

/** How many an account may have; null means any number. */
export interface PlanLimits {
  /** Satellites of its own, whatever their state. */
  readonly satellites: number | null
  /** Active users, the owner included. */
  readonly seats: number | null
}

export const NO_LIMITS: PlanLimits = { satellites: null, seats: null }

/**
 * Throws `PLAN_LIMIT_REACHED` (409) when an account that has `count` may have no more. Call it with the account locked, so
 * that of two at once only one gets the last place. What is there beyond a limit stays: a smaller plan removes nothing.
 */
export function requireWithinPlan(
  limits: PlanLimits | null,
  what: keyof PlanLimits,
  count: number,
  detail: (most: number) => string,
): void {
  const most = limits?.[what] ?? null
  if (most !== null && count >= most) throw new ApiError('PLAN_LIMIT_REACHED', { detail: detail(most) })
}
