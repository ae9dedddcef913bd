/** Whom an account lets log in on satellites only by hand-off from the main site. */
export const HANDOFF_REQUIREMENTS = ['none', 'owners', 'everyone'] as const
export type HandoffRequirement = (typeof HANDOFF_REQUIREMENTS)[number]
