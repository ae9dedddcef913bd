import { Link, usePlace } from '../pieces/router.js'
import { t } from './language.js'

/** Links that filter a list by one parameter of the address; the first shows the list without it. */
export function StateFilter({
  name = 'state',
  drops,
  states,
}: {
  /** The name of the parameter. */
  readonly name?: string
  /** Another parameter to drop, whose values each belong to only one state. */
  readonly drops?: string
  readonly states: readonly (readonly [state: string, name: string])[]
}) {
  const { path, query } = usePlace()
  const hrefOf = (state: string) => {
    const changed = new URLSearchParams(query)
    if (drops) changed.delete(drops)
    if (state === '') changed.delete(name)
    else changed.set(name, state)
    return changed.size > 0 ? `${path}?${changed}` : path
  }
  return (
    <nav className="nav row-nav filter" aria-label={t('audit.show')}>
      {states.map(([state, text]) => (
        <Link
          key={state}
          href={hrefOf(state)}
          aria-current={state === (query.get(name) ?? '') ? 'page' : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  )
}
