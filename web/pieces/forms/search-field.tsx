import { useEffect, useRef, useState } from 'react'

/** Long enough to type the next letter. */
const PAUSE_MS = 250

/** Calls `search` with the trimmed text, once somebody stops typing. */
export function SearchField({
  label,
  initial = '',
  search,
}: {
  readonly label: string
  /** The current search text. */
  readonly initial?: string
  readonly search: (text: string) => void
}) {
  const [text, setText] = useState(initial)
  const latest = useRef(search)
  latest.current = search
  const searched = useRef(initial)
  useEffect(() => {
    const timer = setTimeout(() => {
      searched.current = text.trim()
      latest.current(searched.current)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  // Changed otherwise, such as by a link to the whole list.
  useEffect(() => {
    if (initial !== searched.current) setText(initial)
  }, [initial])
  return (
    <input
      type="search"
      className="search"
      aria-label={label}
      placeholder={label}
      maxLength={100}
      value={text}
      onChange={event => setText(event.target.value)}
    />
  )
}
