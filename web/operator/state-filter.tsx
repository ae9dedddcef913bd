import { Link } from '../pieces/router.js'

/** The states that a list can be narrowed to, as links; the first is what is shown without one. */
export function StateFilter({
  path,
  states,
  chosen,
}: {
  readonly path: string
  readonly states: readonly (readonly [state: string, name: string])[]
  readonly chosen: string
}) {
  return (
    <nav className="nav row-nav filter" aria-label="Which">
      {states.map(([state, name]) => (
        <Link
          key={state}
          href={state === '' ? path : `${path}?state=${state}`}
          aria-current={state === chosen ? 'page' : undefined}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
