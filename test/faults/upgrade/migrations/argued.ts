/** A statement that may not be made without a reason: how it begins, and why it is right all the same. */
interface Argued {
  /** The migration. */
  readonly in: string
  readonly statement: string
  readonly because: string
}

/** Those of migrations that are out already go when the next release is kept. */
export const ARGUED: readonly Argued[] = []
