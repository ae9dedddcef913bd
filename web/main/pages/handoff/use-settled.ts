import { useEffect, useRef, useState } from 'react'

/** Longer than the second click of a double click takes to come. */
const SETTLED_AFTER_MS = 500

/**
 * Whether the page has been in sight for a moment: to be shown, and as it is in the very moment of a click. A click before that was meant for something else: a hostile page can
 * close its window over ours, or bring ours up, between the two clicks of a double click.
 */
export function useSettled(): { readonly isSettled: boolean; readonly isSettledNow: () => boolean } {
  const [isSettled, setIsSettled] = useState(false)
  const now = useRef(false)
  useEffect(() => {
    let timer = 0
    const settle = (value: boolean) => {
      now.current = value
      setIsSettled(value)
    }
    const begin = () => {
      settle(false)
      clearTimeout(timer)
      timer = window.setTimeout(() => settle(true), SETTLED_AFTER_MS)
    }
    begin()
    addEventListener('focus', begin)
    return () => {
      removeEventListener('focus', begin)
      clearTimeout(timer)
    }
  }, [])
  return { isSettled, isSettledNow: () => now.current }
}
