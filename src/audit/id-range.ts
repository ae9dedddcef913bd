/** Rows of the audit log by their ids: above `after`, up to `to`. */
export interface IdRange {
  readonly after: number
  readonly to: number
}

/** Of every row: ids are integers that JavaScript represents exactly, and ours start at 1. */
export const ALL_IDS: IdRange = { after: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }
