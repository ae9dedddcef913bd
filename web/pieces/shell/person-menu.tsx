import type { Client } from '@mainstay-auth/client'
import { ActionButton } from '../forms/button.js'
import { useAction } from '../forms/use-action.js'
import { Icon, type IconName } from '../icon.js'
import { LanguageChoice } from '../language/language-choice.js'
import { t } from '../language/t.js'
import { Menu } from '../menu.js'
import { Failure } from '../notices/notice.js'
import { Avatar } from '../people/avatar.js'
import { Link } from '../router.js'

/** The person who is logged in. */
export interface Person {
  readonly email: string
  readonly name: string | null
}

/** A link in the menu: its address, its name and its icon. */
type MenuLink = readonly [href: string, name: string, icon: IconName]

/** Who is logged in, on every page, with links to their own pages and a button to log out. */
export function PersonMenu({
  client,
  person,
  links,
}: {
  readonly client: Client
  /** Null until it is known. */
  readonly person: Person | null
  readonly links: readonly MenuLink[]
}) {
  const logout = useAction(() => client.logout())
  return (
    <div className="person">
      <Menu
        className="person-button"
        button={
          <>
            <span className="unseen">{t('nav.accountMenu')}</span>
            <Avatar name={person?.name ?? person?.email ?? ''} />
            <PersonWords person={person} className="person-words" />
            <Icon name="choose" />
          </>
        }
      >
        <PersonWords person={person} className="menu-head" />
        <hr />
        {links.map(([href, name, icon]) => (
          <Link key={href} href={href}>
            <Icon name={icon} />
            {name}
          </Link>
        ))}
        <hr />
        <LanguageChoice keep={language => keepLanguage(client, language)} />
        <hr />
        <ActionButton action={logout}>
          <Icon name="leave" />
          {t('common.logOut')}
        </ActionButton>
      </Menu>
      <Failure error={logout.error} />
    </div>
  )
}

/** The service refuses a language that only the pages have, and mails stay in the previous one. */
function keepLanguage(client: Client, language: string): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' }
  return client.fetch('/api/profile', { method: 'PATCH', headers, body: JSON.stringify({ language }) })
}

function PersonWords({ person, className }: { readonly person: Person | null; readonly className: string }) {
  if (!person) return null
  const { email, name } = person
  return (
    <span className={className}>
      <span>{name ?? email}</span>
      {name && <small>{email}</small>}
    </span>
  )
}
