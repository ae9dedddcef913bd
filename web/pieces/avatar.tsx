import { initialsOf } from './initials.js'

/** The initials of somebody, as a picture of them; their name stands beside it. */
export function Avatar({ name }: { readonly name: string }) {
  return (
    <span className="avatar" aria-hidden="true">
      {initialsOf(name)}
    </span>
  )
}
