import type { SecondFactorRequirement } from '../../platform/database/schema/columns.js'
import { secondsAfter } from '../../platform/time.js'
import type { Account } from '../../users/accounts.js'

/** What an account requires of its users. */
export type SecondFactorPolicy = Pick<
  Account,
  'secondFactor' | 'secondFactorFrom' | 'secondFactorEnforced' | 'paymentStepUpMinutes'
>

/** A requested change of the policy. */
export interface PolicyChange {
  readonly required: SecondFactorRequirement
  /** If left out, the date stays as long as the requirement is the same. */
  readonly graceDays?: number | undefined
  readonly paymentStepUpMinutes: number | null
}

const DAY_SECONDS = 24 * 60 * 60

/** What is required after a change made at `now`. */
export function policyAfter(before: SecondFactorPolicy, change: PolicyChange, now: Date): SecondFactorPolicy {
  const { required, graceDays, paymentStepUpMinutes } = change
  if (required === 'off')
    return { secondFactor: 'off', secondFactorFrom: null, secondFactorEnforced: false, paymentStepUpMinutes }
  if (required === before.secondFactor && graceDays === undefined) return { ...before, paymentStepUpMinutes }
  const from = secondsAfter(now, (graceDays ?? 0) * DAY_SECONDS)
  return {
    secondFactor: required,
    secondFactorFrom: from,
    secondFactorEnforced: from <= now,
    paymentStepUpMinutes,
  }
}

/** Whether both ask the same of users, from the same time on. */
export function isSame(before: SecondFactorPolicy, after: SecondFactorPolicy): boolean {
  return (
    before.secondFactor === after.secondFactor &&
    before.secondFactorFrom?.getTime() === after.secondFactorFrom?.getTime() &&
    before.paymentStepUpMinutes === after.paymentStepUpMinutes
  )
}

/** Whether the change may make other users overdue. */
export function changesWhoIsOverdue(before: SecondFactorPolicy, after: SecondFactorPolicy): boolean {
  const requiredNow = (policy: SecondFactorPolicy) =>
    policy.secondFactorEnforced ? policy.secondFactor : 'off'
  return requiredNow(before) !== requiredNow(after)
}

/** Whether the account asks for second factors at all. */
export function asksForSecondFactors({ secondFactor, paymentStepUpMinutes }: SecondFactorPolicy): boolean {
  return secondFactor !== 'off' || paymentStepUpMinutes !== null
}
