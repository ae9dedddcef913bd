// Long lists, whose filters and page are in the address: reloading, going back and sharing it lead to the same list.
import { type ReactNode, useRef, useState } from 'react'
import { useEffect } from './activity.js'
import { PAUSE_MS } from './controls.js'
import { type Load, type Part, partWithRows, useLoad } from './loading.js'
import { Hint } from './notices.js'
import { go, Link, usePlace } from './router.js'
import { t } from './t.js'

/** The address of this page with other parameters; without one where it is empty, and at the first page of the list. */
function hrefWith(changed: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries({ after: '', ...changed })) {
    if (value) query.set(name, value)
    else query.delete(name)
  }
  return query.size > 0 ? `${location.pathname}?${query}` : location.pathname
}

/** Filters the list by one parameter of the address, or no longer by it. */
export function choose(name: string, value: string): void {
  const isChosen = (new URLSearchParams(location.search).get(name) ?? '') === value
  if (!isChosen) go(hrefWith({ [name]: value }), { replace: true })
}

interface FieldProps {
  /** Of the parameter. */
  readonly name: string
  readonly label: string
}

/** One of a few values; the first option is usually the empty one. */
export function ChoiceField({
  name,
  label,
  className,
  children,
}: FieldProps & { readonly className?: string; readonly children: ReactNode }) {
  const { query } = usePlace()
  return (
    <label className={className}>
      {label}
      <select value={query.get(name) ?? ''} onChange={event => choose(name, event.target.value)}>
        {children}
      </select>
    </label>
  )
}

const EARLIEST_DAY = '2000-01-01'

/** While a year is being typed, the browser has a day in the year 2, 20 or 202; some lists are recorded. */
export function DayField({ name, label }: FieldProps) {
  const chosen = usePlace().query.get(name) ?? ''
  const [day, setDay] = useState(chosen)
  useEffect(() => setDay(chosen), [chosen])
  useEffect(() => {
    if (day === chosen || (day !== '' && day < EARLIEST_DAY)) return undefined
    const timer = setTimeout(() => choose(name, day), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [name, day, chosen])
  return (
    <label>
      {label}
      <input type="date" value={day} onChange={event => setDay(event.target.value)} />
    </label>
  )
}

/** When the days `from` and `to` of the address begin and end in the reader's time zone; only those that it has. */
export function periodIn(query: URLSearchParams): { from?: string; to?: string } {
  const from = startOf(query.get('from'), 0)
  const to = startOf(query.get('to'), 1)
  return { ...(from && { from }), ...(to && { to }) }
}

/** When a day (`2026-11-24`) begins, or the day `later` days after it; null for anything that is not a day. */
function startOf(day: string | null, later: number): string | null {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '') ?? []
  if (!year) return null
  return new Date(Number(year), Number(month) - 1, Number(date) + later).toISOString()
}

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
  const { query } = usePlace()
  return (
    <nav className="nav row-nav filter" aria-label={t('audit.show')}>
      {states.map(([state, text]) => (
        <Link
          key={state}
          href={hrefWith({ [name]: state, ...(drops && { [drops]: '' }) })}
          aria-current={state === (query.get(name) ?? '') ? 'page' : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  )
}

const ROWS_A_PAGE = '25'
/** Where a filter finds nothing, the service looks at a part of a list at a time; a log may have thousands of them. */
const MOST_PARTS = 20

type ListPage<P> = Load<P> & {
  /** Whether what it shows is from before, while the rows of this page are on their way. */
  readonly isStale: boolean
}

/**
 * The page of a list that the address names; `filter` is the service's query without `limit` and `after`. What it showed
 * before stays until the next rows are there. Parts without rows but with a `next` are skipped, up to a point.
 */
export function usePage<P extends Part<unknown>>(
  loadPart: (asked: URLSearchParams) => Promise<P>,
  filter: Readonly<Record<string, string>>,
): ListPage<P> {
  const start = usePlace().query.get('after')
  const key = JSON.stringify([filter, start])
  const partAfter = (after: string | null) =>
    loadPart(new URLSearchParams({ ...filter, limit: ROWS_A_PAGE, ...(after && { after }) }))
  const page = useLoad(isWanted => {
    let left = MOST_PARTS
    return partWithRows(partAfter, start, () => isWanted() && --left > 0)
  }, key)
  const before = useRef<P | null>(null)
  if (page.data) before.current = page.data
  const isStale = page.data === null && page.error === null
  return { ...page, data: isStale ? before.current : page.data, isStale }
}

/** What a step to the next page leaves in the history: the entry before it is the previous page. */
const NEXT = 'next page'

/** The way to the next page and back; nothing where there is one page only. */
export function PageLinks({ of: { data, isStale } }: { readonly of: ListPage<Part<unknown>> }) {
  const { query } = usePlace()
  const isFirst = !query.has('after')
  const next = isStale || data === null ? null : data.next
  if (isFirst && next === null) return null
  // As after any other navigation.
  const toTop = () => document.querySelector('h1')?.focus()
  return (
    <>
      {next !== null && data?.rows.length === 0 && <Hint>{t('pages.goOn')}</Hint>}
      <nav className="pager" aria-label={t('pages.label')}>
        {!isFirst && history.state !== NEXT && (
          <Link className="button" href={hrefWith({})} onFollow={toTop}>
            {t('pages.first')}
          </Link>
        )}
        {!isFirst && history.state === NEXT && (
          <button
            type="button"
            onClick={() => {
              history.back()
              toTop()
            }}
          >
            {t('pages.previous')}
          </button>
        )}
        {next !== null && (
          <Link className="button" href={hrefWith({ after: next })} state={NEXT} onFollow={toTop}>
            {t('pages.next')}
          </Link>
        )}
      </nav>
    </>
  )
}
