import type { SecondFactor } from '../../../answers.js'

/** Loads again what somebody has, says what was done, and shows new recovery codes first. */
export type Changed = (news: string, codes?: readonly string[] | null) => Promise<void>

export interface FactorProps {
  readonly state: SecondFactor
  readonly changed: Changed
}
