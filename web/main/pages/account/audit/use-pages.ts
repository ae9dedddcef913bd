import { useState } from 'react'
import { type Action, useAction } from '../../../../pieces/forms/use-action.js'
import { type Load, useLoad } from '../../../../pieces/use-load.js'

interface Part<T> {
  readonly rows: readonly T[]
  readonly next: string | null
}

/** A long list, a part at a time. A change of `key` begins it anew. */
export function usePages<T>(
  load: (after: string | null) => Promise<Part<T>>,
  key = '',
): { readonly list: Load<Part<T>>; readonly more: Action<void> | null } {
  const [added, setAdded] = useState<Part<T> & { key: string }>({ key, rows: [], next: null })
  const first = useLoad(() => load(null), key)
  const isAdded = added.key === key && added.rows.length > 0
  const next = isAdded ? added.next : (first.data?.next ?? null)
  const more = useAction(async () => {
    const part = await load(next)
    setAdded({ key, rows: [...(isAdded ? added.rows : []), ...part.rows], next: part.next })
  })
  const rows = [...(first.data?.rows ?? []), ...(isAdded ? added.rows : [])]
  return { list: { ...first, data: first.data && { rows, next } }, more: next ? more : null }
}
