import type { ReactNode } from 'react'
import { Empty } from '../../pieces/empty.js'
import type { IconName } from '../../pieces/icon.js'

/** The rows of a list, or what to say when there are none. */
export function RowList<T>({
  of: items,
  icon,
  none,
  isLong = false,
  children: row,
}: {
  readonly of: readonly T[]
  /** Of an empty list. */
  readonly icon: IconName
  readonly none: string
  /** Whether the texts need the whole width of a phone. */
  readonly isLong?: boolean
  /** Each with a key of its own. */
  readonly children: (item: T) => ReactNode
}) {
  if (items.length === 0) return <Empty icon={icon}>{none}</Empty>
  return <ul className={isLong ? 'rows long' : 'rows'}>{items.map(row)}</ul>
}
