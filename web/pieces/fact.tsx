import type { ReactNode } from 'react'
import { breakable } from './language/breakable.js'

/** A single fact, in a `<dl>`. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{breakable(children)}</dd>
    </div>
  )
}
