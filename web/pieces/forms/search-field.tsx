import { useEffect, useRef, useState } from 'react'

/** Long enough to type the next letter. */
const PAUSE_MS = 250

/** Calls `search` with what is typed, without spaces around it, once nobody types any more. */
export function SearchField({
  label,
  initial = '',
  search,
}: {
  readonly label: string
  /** What is looked for already. */
  readonly initial?: string
  readonly search: (text: string) => void
}) {
  const [text, setText] = useState(initial)
  const latest = useRef(search)
  latest.current = search
  useEffect(() => {
    const timer = setTimeout(() => latest.current(text.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
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
