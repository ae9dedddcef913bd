import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { drawInLanguage } from './language.js'

/** Shows a site in the language of whoever reads it, or of `only` those that it has. */
export function startPage(draw: () => ReactNode, only?: readonly string[]): void {
  const place = document.getElementById('app') as HTMLElement
  const root = createRoot(place)
  drawInLanguage(() => root.render(draw()), only).catch(() => {
    // Without the messages there is no other language to say it in.
    root.render(<main className="small">This page could not be loaded. Please load it again.</main>)
  })
}
