/** The service's query for the page's address, in which days are in the reader's time zone. */
export function activityQuery(query: URLSearchParams): URLSearchParams {
  const asked = new URLSearchParams()
  const kind = query.get('kind') ?? 'changes'
  if (kind !== 'all') asked.set('kind', kind)
  for (const name of ['operator', 'action']) {
    const value = query.get(name)
    if (value) asked.set(name, value)
  }
  const from = startOf(query.get('from'), 0)
  const to = startOf(query.get('to'), 1)
  if (from) asked.set('from', from)
  if (to) asked.set('to', to)
  return asked
}

/** When a day (`2026-11-24`) begins, or the day `later` days after it; null for anything that is not a day. */
function startOf(day: string | null, later: number): string | null {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '') ?? []
  if (!year) return null
  return new Date(Number(year), Number(month) - 1, Number(date) + later).toISOString()
}
