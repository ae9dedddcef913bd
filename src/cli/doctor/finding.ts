/** `fault`: something is wrong and somebody has to act. `skipped`: it could not be examined. */
export type FindingStatus = 'ok' | 'warning' | 'fault' | 'skipped'

/** What one check of an installation has found. */
export interface Finding {
  /** The part and what about it, such as `redis.policy`. */
  readonly check: string
  readonly status: FindingStatus
  readonly saw: string
  /** The one thing to do; only for warnings and faults. */
  readonly todo?: string
}

export function ok(check: string, saw: string): Finding {
  return { check, status: 'ok', saw }
}

export function warning(check: string, saw: string, todo: string): Finding {
  return { check, status: 'warning', saw, todo }
}

export function fault(check: string, saw: string, todo: string): Finding {
  return { check, status: 'fault', saw, todo }
}

export function skipped(check: string, saw: string): Finding {
  return { check, status: 'skipped', saw }
}

/** One subject to examine. */
export interface Check {
  /** Stands for its findings when it fails as a whole. */
  readonly name: string
  /** What to do when it fails as a whole, for any error or for this one. */
  readonly todo: string | ((error: unknown) => string)
  /** For one that only runs others: they have their own time limits, and what they have found must not be lost. */
  readonly isGroup?: true
  run(): Promise<readonly Finding[]> | readonly Finding[]
}
