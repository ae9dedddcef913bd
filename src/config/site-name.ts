/** The sites whose pages come with this service. */
export const SITE_NAMES = ['main', 'satellite'] as const
export type SiteName = (typeof SITE_NAMES)[number]
