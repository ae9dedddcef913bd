import { useState } from 'react'
import { type Action, useAction } from '../forms/use-action.js'
import { type Load, useLoad } from './use-load.js'

interface Part<T> {
  readonly rows: readonly T[]
  readonly next: string | null
}

/** A long list, loaded in parts. A change of `key` starts over. A part without rows but with a `next` is skipped. */
export function usePages<T>(
  loadPart: (after: string | null) => Promise<Part<T>>,
  key = '',
): { readonly list: Load<Part<T>>; readonly more: Action<void> | null } {
  const [added, setAdded] = useState<(Part<T> & { key: string }) | null>(null)
  const load = async (after: string | null) => {
    let part = await loadPart(after)
    while (part.rows.length === 0 && part.next) part = await loadPart(part.next)
    return part
  }
  const first = useLoad(() => load(null), key)
  const later = added?.key === key ? added : null
  const next = (later ?? first.data)?.next ?? null
  const more = useAction(async () => {
    const part = await load(next)
    setAdded({ key, rows: [...(later?.rows ?? []), ...part.rows], next: part.next })
  })
  const rows = [...(first.data?.rows ?? []), ...(later?.rows ?? [])]
  // From the start, because later parts may have changed as well.
  const reload = async () => {
    await first.reload()
    setAdded(null)
  }
  return { list: { ...first, data: first.data && { rows, next }, reload }, more: next ? more : null }
}
