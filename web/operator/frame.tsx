import type { ReactNode } from 'react'
import { ActionButton } from '../pieces/forms/button.js'
import { useAction } from '../pieces/forms/use-action.js'
import { LanguageChoice } from '../pieces/language/language-choice.js'
import { Menu } from '../pieces/menu.js'
import { Failure } from '../pieces/notices/notice.js'
import { Toasts } from '../pieces/notices/toasts.js'
import { Avatar } from '../pieces/people/avatar.js'
import { Link, usePlace } from '../pieces/router.js'
import { retryNow, useOutage } from '../pieces/sessions/outage.js'
import { OutageNotice } from '../pieces/sessions/outage-banner.js'
import { BrandLink } from '../pieces/shell/brand-link.js'
import { RowNav } from '../pieces/shell/row-nav.js'
import { SkipLink } from '../pieces/shell/skip-link.js'
import type { Me } from './answers.js'
import { tell } from './api.js'
import { t } from './language.js'

/** The frame around every page: links to the others, the operator, and a button to log out. */
export function Frame({
  me,
  left,
  children,
}: {
  readonly me: Me
  /** Called after the logout. */
  readonly left: () => Promise<void>
  readonly children: ReactNode
}) {
  const { path } = usePlace()
  const outage = useOutage()
  const logout = useAction(async () => {
    await tell('logout', {})
    await left()
  })
  return (
    <>
      <SkipLink />
      <OutageNotice reason={outage} tryNow={retryNow} />
      <header className="top">
        <BrandLink href="/" />
        <span className="tag warn">{t('console.tag')}</span>
        <RowNav
          links={linksOf().map(([href, name]) => ({
            href,
            name,
            isShown: true,
            isCurrent: isWithin(path, href),
          }))}
        />
        <div className="person">
          <Menu
            className="person-button"
            button={
              <>
                <span className="unseen">{t('nav.accountMenu')}</span>
                <Avatar name={me.email} />
              </>
            }
          >
            <span className="menu-head">{me.email}</span>
            <hr />
            <Link href="/passkeys">{t('console.passkeys.title')}</Link>
            <LanguageChoice />
            <hr />
            <ActionButton action={logout}>{t('common.logOut')}</ActionButton>
          </Menu>
          <Failure error={logout.error} />
        </div>
      </header>
      <main id="content" className="wide" tabIndex={-1}>
        {children}
      </main>
      <Toasts />
    </>
  )
}

function linksOf() {
  return [
    ['/', t('console.search.title')],
    ['/satellites', t('console.satellites.title')],
    ['/payments', t('console.payments.title')],
    ['/mails', t('console.mails.title')],
    ['/activity', t('console.activity.title')],
    ['/health', t('console.health.title')],
  ] as const
}

/** Pages of people and accounts belong to the search. */
function isWithin(path: string, href: string): boolean {
  return path === href || (href === '/' && /^\/(users|accounts)\//.test(path))
}
