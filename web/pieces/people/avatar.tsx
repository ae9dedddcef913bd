import type { CSSProperties } from 'react'
import { initialsOf } from './initials.js'

/** The angle between hues: 137 degrees apart, neighbours differ most, however many there are. */
const STEP = 137

/** A picture of somebody made of their initials, in a hue that is always theirs; their name is shown beside it. */
export function Avatar({ name, isLarge = false }: { readonly name: string; readonly isLarge?: boolean }) {
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  const style = { '--hue': (sum * STEP) % 360 } as CSSProperties
  return (
    <span className={isLarge ? 'avatar large' : 'avatar'} style={style} aria-hidden="true">
      {initialsOf(name)}
    </span>
  )
}
