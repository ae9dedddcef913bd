import { useEffect, useRef, useState } from 'react'

/** Longer than the interval between the clicks of a double click. */
const SETTLED_AFTER_MS = 500

/**
 * Whether the page has been in sight for a moment: as state to render, and as a function that is exact at the
 * moment of a click. An earlier click was meant for something else: between the two clicks of a double click,
 * a hostile page can close its window over ours, or bring ours to the front.
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
