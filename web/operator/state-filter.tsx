import { Link, usePlace } from '../pieces/router.js'
import { t } from './language.js'

/** What a list can be narrowed to by one word of the address, as links; the first is what is shown without it. */
export function StateFilter({
  name = 'state',
  drops,
  states,
}: {
  /** Of the word in the address. */
  readonly name?: string
  /** Another word, whose values are each of one state only. */
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
