/** The sites whose pages PAGES can name. */
export const SITE_NAMES = ['main', 'satellite'] as const
/** With the operator console, which OPERATOR_ORIGIN turns on. */
export type SiteName = (typeof SITE_NAMES)[number] | 'operator'
