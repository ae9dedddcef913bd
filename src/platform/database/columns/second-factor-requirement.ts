export const SECOND_FACTOR_REQUIREMENTS = ['off', 'payments', 'managers', 'everyone'] as const
/**
 * Who in an account must have a second factor: who may pay (`payments`), who may pay or manage the account or
 * its team (`managers`), `everyone`, or nobody.
 */
export type SecondFactorRequirement = (typeof SECOND_FACTOR_REQUIREMENTS)[number]
