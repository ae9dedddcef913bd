import { type ReactNode, useRef, useState } from 'react'
import { useEffect } from './activity.js'
import { Icon, type IconName } from './icon.js'
import { initialsOf } from './initials.js'
import { languageNames, setLanguage } from './language.js'
import { Failure } from './notices.js'
import { Link, usePlace } from './router.js'
import { chosenTheme, hostOf, setTheme, site, THEMES, type Theme } from './site.js'
import { i18n, t } from './t.js'
import { breakable } from './text.js'

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
        <ThemeChoice />
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

/** Logo and name of the site; a letter where there is no logo. */
export function BrandLink({ href }: { readonly href: string }) {
  const [isLogoMissing, setIsLogoMissing] = useState(site.logoUrl === '')
  return (
    <Link href={href} className="brand">
      {isLogoMissing ? (
        <span className="mark" aria-hidden="true">
          {initialsOf(site.name).slice(0, 1)}
        </span>
      ) : (
        <img src={site.logoUrl} alt="" onError={() => setIsLogoMissing(true)} />
      )}
      <span>{site.name}</span>
    </Link>
  )
}

/**
 * The language of the page, for people who want one other than the browser's; nothing where there is only
 * one. `keep` tells the service, so that its mails follow.
 */
export function LanguageChoice({ keep }: { readonly keep?: (language: string) => Promise<unknown> }) {
  const [error, setError] = useState<unknown>(null)
  const last = useRef<Promise<unknown>>(Promise.resolve())
  // Not an action: somebody who has made a mistake chooses again, before the service has heard of the first choice.
  // One after the other, so that the last one stays.
  const change = (language: string) => {
    setError(null)
    const change = last.current
      .then(() => setLanguage(language))
      .then(() => keep?.(language))
      .catch((failure: unknown) => {
        if (last.current === change) setError(failure)
      })
    last.current = change
  }
  const names = languageNames()
  if (names.length < 2) return null
  return (
    <>
      <PageChoice
        label={t('language.label')}
        icon="globe"
        chosen={i18n.locale}
        options={names.map(([language, name]) => ({ value: language, name, lang: language }))}
        change={change}
      />
      <Failure error={error} />
    </>
  )
}

/** Light or dark; nothing where the site's own background decides. */
export function ThemeChoice() {
  const [chosen, setChosen] = useState(chosenTheme)
  if (site.background) return null
  const change = (theme: Theme) => {
    setTheme(theme)
    setChosen(theme)
  }
  return (
    <PageChoice
      label={t('theme.label')}
      icon="theme"
      chosen={chosen}
      options={THEMES.map(theme => ({ value: theme, name: t(`theme.${theme}`) }))}
      change={theme => change(theme as Theme)}
    />
  )
}

/** How the page is shown, in the menu or below it. */
function PageChoice({
  label,
  icon,
  chosen,
  options,
  change,
}: {
  readonly label: string
  readonly icon: IconName
  readonly chosen: string
  readonly options: readonly { readonly value: string; readonly name: string; readonly lang?: string }[]
  readonly change: (value: string) => void
}) {
  return (
    <label className="choice-of-looks">
      <span className="unseen">{label}</span>
      <Icon name={icon} />
      <select value={chosen} onChange={event => change(event.target.value)}>
        {options.map(({ value, name, lang }) => (
          <option key={value} value={value} lang={lang}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The only way on from a page, or the usual one. */
export function WayOn({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <div className="actions">
      <Link href={href} className="button primary">
        <span>{breakable(children)}</span>
      </Link>
    </div>
  )
}

interface EmptyProps {
  readonly icon: IconName
  readonly children: ReactNode
}

/** Shown instead of an empty list: says that it is empty. */
export function Empty({ icon, children }: EmptyProps) {
  return (
    <div className="empty">
      <Badge icon={icon} />
      <p>{children}</p>
    </div>
  )
}

/** Shown instead of the content of a page: says why, and leads to another. */
export function EmptyPage({
  icon = 'info',
  href = '/',
  link,
  children,
}: Partial<EmptyProps> & {
  readonly href?: string
  /** The text of the link. */
  readonly link: string
}) {
  return (
    <div className="card">
      <div className="empty">
        <Badge icon={icon} />
        <p>{children}</p>
        <Link href={href} className="button">
          {link}
        </Link>
      </div>
    </div>
  )
}

/** A framed icon, beside the text about one thing. */
export function Badge({ icon }: { readonly icon: IconName }) {
  return (
    <span className="badge">
      <Icon name={icon} />
    </span>
  )
}

/** Links to the sites where somebody works. A preview pattern stands for many hosts, so it has no link. */
export function SiteLinks({
  origins,
  look,
}: {
  readonly origins: readonly string[]
  /** A class for each. */
  readonly look?: string
}) {
  return origins
    .filter(origin => !origin.includes('*'))
    .map(origin => (
      <a key={origin} href={origin} className={look}>
        {t('common.goTo', { host: hostOf(origin) })}
      </a>
    ))
}
