import type { Permissions } from '@mainstay-auth/client'
import { Empty } from '../../../../pieces/empty.js'
import { breakable } from '../../../../pieces/language/breakable.js'
import { t } from '../../../../pieces/language/t.js'
import { Avatar } from '../../../../pieces/people/avatar.js'
import { PERMISSIONS, permissionName } from '../../../../pieces/people/permission-names.js'
import { Link } from '../../../../pieces/router.js'
import { hostOf } from '../../../../pieces/site/site.js'
import { Ago } from '../../../../pieces/time/when.js'
import type { Person } from '../../../answers.js'

/** More would make a row taller than the others. */
const MOST_SITES = 2

export function PeopleTable({
  people,
  isSearch,
}: {
  readonly people: readonly Person[]
  readonly isSearch: boolean
}) {
  if (people.length === 0) return <Empty icon="team">{isSearch ? t('team.noMatch') : t('team.nobody')}</Empty>
  return (
    <table className="people">
      <thead>
        <tr>
          <th>{t('member.person')}</th>
          <th>{t('role.title')}</th>
          <th>{t('permission.title')}</th>
          <th>{t('team.sites')}</th>
          <th>{t('member.lastLogin')}</th>
        </tr>
      </thead>
      <tbody>
        {people.map(person => (
          <Row key={person.userId} person={person} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ person }: { readonly person: Person }) {
  const { userId, email, name, role, permissions, satellites, lastLoginAt } = person
  return (
    <tr>
      <td className="whole">
        <span className="someone">
          <Avatar name={name ?? email} />
          <span>
            <Link href={`/account/team/${userId}`}>{breakable(name ?? email)}</Link>
            {name && <small>{breakable(email)}</small>}
            <Standing person={person} />
          </span>
        </span>
      </td>
      <td data-name={t('role.title')}>{role === 'owner' ? t('role.owner') : t('role.member')}</td>
      <td data-name={t('permission.title')}>
        <PermissionChips permissions={permissions} />
      </td>
      <td data-name={t('team.sites')}>
        <Sites satellites={satellites} />
      </td>
      <td data-name={t('member.lastLogin')}>{lastLoginAt ? <Ago at={lastLoginAt} /> : t('member.never')}</td>
    </tr>
  )
}

/** Anything unusual about their login. */
function Standing({ person: { isDisabled, hasSecondFactor, mustEnrol } }: { readonly person: Person }) {
  if (!isDisabled && !hasSecondFactor && !mustEnrol) return null
  return (
    <span className="tags">
      {isDisabled && <span className="tag bad">{t('team.disabled')}</span>}
      {mustEnrol && <span className="tag warn">{t('team.mustEnrol')}</span>}
      {hasSecondFactor && <span className="tag good">{t('factor.tag')}</span>}
    </span>
  )
}

export function PermissionChips({ permissions }: { readonly permissions: Permissions }) {
  const given = PERMISSIONS.filter(name => permissions[name])
  if (given.length === PERMISSIONS.length) return <span className="tag">{t('team.allPermissions')}</span>
  if (given.length === 0) return <span className="absent">{t('team.none')}</span>
  return (
    <span className="tags">
      {given.map(name => (
        <span key={name} className="tag">
          {permissionName(name)}
        </span>
      ))}
    </span>
  )
}

/** Origins in words; null means all. */
export function Sites({ satellites }: { readonly satellites: readonly string[] | null }) {
  if (satellites === null) return t('team.everywhere')
  if (satellites.length === 0) return <span className="absent">{t('team.none')}</span>
  const hosts = satellites.map(hostOf)
  if (hosts.length > MOST_SITES)
    return <span title={hosts.join(', ')}>{t('team.siteCount', { length: hosts.length })}</span>
  return hosts.map(host => <div key={host}>{host}</div>)
}
