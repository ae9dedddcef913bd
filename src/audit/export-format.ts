/** How the audit log is exported: our own JSON lines, or OCSF events, one per line. */
export const EXPORT_FORMATS = ['jsonl', 'ocsf'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]
