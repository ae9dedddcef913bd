import type { SecondFactor } from '../../../answers.js'

/** Reloads the user's factors and reports what was done, but shows new recovery codes first. */
export type Changed = (news: string, codes?: readonly string[] | null) => Promise<void>

export interface FactorProps {
  readonly state: SecondFactor
  readonly changed: Changed
}
