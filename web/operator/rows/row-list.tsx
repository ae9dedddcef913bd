import type { ReactNode } from 'react'

/** The rows of a list, or what to say when there are none. */
export function RowList<T>({
  of: items,
  none,
  isLong = false,
  children: row,
}: {
  readonly of: readonly T[]
  readonly none: string
  /** Whether the texts need the whole width of a phone. */
  readonly isLong?: boolean
  /** Each with a key of its own. */
  readonly children: (item: T) => ReactNode
}) {
  if (items.length === 0) return <p className="absent">{none}</p>
  return <ul className={isLong ? 'rows long' : 'rows'}>{items.map(row)}</ul>
}
