import { type ReactNode, useEffect, useRef } from 'react'
import { LanguageChoice } from './language/language-choice.js'
import { BrandLink } from './shell/brand-link.js'
import { site } from './site.js'

let isFirst = true

/**
 * A page with its one heading. After a way within the site the heading gets the focus, so that it is read out.
 */
export function Page({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · ${site.name}`
    // A page that has given it to its first field keeps it there.
    if (!isFirst && !(document.activeElement instanceof HTMLInputElement)) heading.current?.focus()
    isFirst = false
  }, [title])
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  )
}

/** A part of a page with a heading of its own. */
export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="card">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** A page of one small form, in the middle of the screen. */
export function SmallPage({
  title,
  isRoomy = false,
  children,
}: {
  readonly title: string
  /** With room for cards side by side. */
  readonly isRoomy?: boolean
  readonly children: ReactNode
}) {
  return (
    <main className={isRoomy ? 'small roomy' : 'small'}>
      <BrandLink href="/" />
      <div className="card">
        <Page title={title}>{children}</Page>
      </div>
      <footer>
        <LanguageChoice />
      </footer>
    </main>
  )
}
