/** How the audit log is exported: our own lines of JSON, or events of OCSF, one a line. */
export const EXPORT_FORMATS = ['jsonl', 'ocsf'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]
