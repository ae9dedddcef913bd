import { type ReactNode, useEffect, useRef } from 'react'
import { breakable } from './language/breakable.js'
import { LanguageChoice } from './language/language-choice.js'
import { usePlace } from './router.js'
import { BrandLink } from './shell/brand-link.js'
import { site } from './site/site.js'

let isFirst = true

interface PageProps {
  readonly title: string
  /** What the page is for, in a line below its title. */
  readonly lead?: ReactNode
  readonly children: ReactNode
}

/**
 * A page with a single heading. After navigation within the site the heading gets the focus, so that it is
 * read out.
 */
export function Page({
  title,
  lead,
  back,
  actions,
  children,
}: PageProps & {
  /** A link to the list that the page belongs to. */
  readonly back?: ReactNode
  /** The main actions of the page. */
  readonly actions?: ReactNode
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { path } = usePlace()
  useEffect(() => {
    document.title = `${title} · ${site.name}`
  }, [title])
  useEffect(() => {
    // A page that has focused its first field keeps the focus there.
    if (!isFirst && !(document.activeElement instanceof HTMLInputElement)) heading.current?.focus()
    isFirst = false
  }, [path])
  return (
    <>
      <div className="page-head">
        <div>
          {back}
          <h1 ref={heading} tabIndex={-1}>
            {breakable(title)}
          </h1>
          {lead && <p>{breakable(lead)}</p>}
        </div>
        {actions}
      </div>
      {children}
    </>
  )
}

/** A page with one small form, in the middle of the screen. */
export function SmallPage({
  title,
  lead,
  isRoomy = false,
  children,
}: PageProps & {
  /** With room for cards side by side. */
  readonly isRoomy?: boolean
}) {
  return (
    <main className={isRoomy ? 'small roomy' : 'small'}>
      <BrandLink href="/" />
      <div className="card">
        <Page title={title} lead={lead}>
          {children}
        </Page>
      </div>
      <footer>
        <LanguageChoice />
      </footer>
    </main>
  )
}
interface SectionProps {
  readonly title: string
  /** What the section is for. */
  readonly about?: ReactNode
  /** Marks actions that are hard to undo. */
  readonly isGrave?: boolean
  readonly children: ReactNode
}

/** A section of a page, with its own heading. */
export function Section({
  title,
  about,
  actions,
  isGrave,
  children,
}: SectionProps & { readonly actions?: ReactNode }) {
  return (
    <section className={cardLook(isGrave)}>
      <header className="card-head">
        <SectionHead title={title} about={about} />
        {actions}
      </header>
      {children}
    </section>
  )
}

/** A section of a settings page: its explanation is beside it where there is room. */
export function SplitSection({ title, about, isGrave, children }: SectionProps) {
  return (
    <section className="split">
      <header>
        <SectionHead title={title} about={about} />
      </header>
      <div className={cardLook(isGrave)}>{children}</div>
    </section>
  )
}

function SectionHead({ title, about }: Pick<SectionProps, 'title' | 'about'>) {
  return (
    <div>
      <h2>{breakable(title)}</h2>
      {about && <p>{breakable(about)}</p>}
    </div>
  )
}

function cardLook(isGrave = false): string {
  return isGrave ? 'card grave' : 'card'
}
