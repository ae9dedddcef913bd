import { breakable } from '../../pieces/language/breakable.js'
import { Avatar } from '../../pieces/people/avatar.js'
import { Link } from '../../pieces/router.js'
import type { FoundUser } from '../answers.js'
import { t } from '../language.js'

/** A user in a list, with a link to them. */
export function UserRow({ user }: { readonly user: FoundUser & { readonly hasSecondFactor?: boolean } }) {
  const { id, email, name, role, disabledAt, hasSecondFactor } = user
  return (
    <li>
      <div className="someone">
        <Avatar name={name ?? email} />
        <span>
          <Link href={`/users/${id}`}>{breakable(email)}</Link>
          {name && <small>{name}</small>}
        </span>
      </div>
      <span className="tags">
        {role === 'owner' && <span className="tag">{t('role.owner')}</span>}
        {disabledAt && <span className="tag bad">{t('console.user.disabledTag')}</span>}
        {hasSecondFactor && <span className="tag good">{t('factor.tag')}</span>}
      </span>
    </li>
  )
}
