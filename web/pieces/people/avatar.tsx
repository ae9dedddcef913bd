import type { CSSProperties } from 'react'
import { initialsOf } from './initials.js'

/** Whoever knows another code for each letter finds as many hues; 137 degrees apart, neighbours differ most. */
const STEP = 137

/** The initials of somebody, in a hue that stays theirs, as a picture of them; their name stands beside it. */
export function Avatar({ name, isLarge = false }: { readonly name: string; readonly isLarge?: boolean }) {
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  const style = { '--hue': (sum * STEP) % 360 } as CSSProperties
  return (
    <span className={isLarge ? 'avatar large' : 'avatar'} style={style} aria-hidden="true">
      {initialsOf(name)}
    </span>
  )
}
