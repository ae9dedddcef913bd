import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import type { DrawOn } from './language.js'

/** Renders with React whatever `page` returns at that time. */
export function drawn(page: () => ReactNode): DrawOn {
  return place => {
    const root = createRoot(place)
    return () => root.render(page())
  }
}
