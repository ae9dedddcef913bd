import type { Permissions } from '@mainstay-auth/client'
import { Avatar } from '../../../../pieces/avatar.js'
import { PERMISSIONS, permissionName } from '../../../../pieces/permission-names.js'
import { Link } from '../../../../pieces/router.js'
import { hostOf } from '../../../../pieces/site.js'
import { Ago } from '../../../../pieces/when.js'
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
  if (people.length === 0) return <p className="absent">{isSearch ? 'Nobody matches.' : 'Nobody yet.'}</p>
  return (
    <table className="people">
      <thead>
        <tr>
          <th>Person</th>
          <th>Role</th>
          <th>Permissions</th>
          <th>Sites</th>
          <th>Last login</th>
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
            <Link href={`/account/team/${userId}`}>{name ?? email}</Link>
            {name && <small>{email}</small>}
            <Standing person={person} />
          </span>
        </span>
      </td>
      <td data-name="Role">{role === 'owner' ? 'Owner' : 'Member'}</td>
      <td data-name="Permissions">
        <PermissionChips permissions={permissions} />
      </td>
      <td data-name="Sites">
        <Sites satellites={satellites} />
      </td>
      <td data-name="Last login">{lastLoginAt ? <Ago at={lastLoginAt} /> : 'Never'}</td>
    </tr>
  )
}

/** What is out of the ordinary about their logins. */
function Standing({ person: { isDisabled, hasSecondFactor, mustEnrol } }: { readonly person: Person }) {
  if (!isDisabled && !hasSecondFactor && !mustEnrol) return null
  return (
    <span className="tags">
      {isDisabled && <span className="tag bad">Disabled</span>}
      {mustEnrol && <span className="tag warn">Must set up a second factor</span>}
      {hasSecondFactor && <span className="tag good">Second factor</span>}
    </span>
  )
}

export function PermissionChips({ permissions }: { readonly permissions: Permissions }) {
  const given = PERMISSIONS.filter(name => permissions[name])
  if (given.length === PERMISSIONS.length) return <span className="tag">All</span>
  if (given.length === 0) return <span className="absent">None</span>
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

/** Origins in words; null is all of them. */
export function Sites({ satellites }: { readonly satellites: readonly string[] | null }) {
  if (satellites === null) return 'Everywhere'
  if (satellites.length === 0) return <span className="absent">None</span>
  const hosts = satellites.map(hostOf)
  if (hosts.length > MOST_SITES) return <span title={hosts.join(', ')}>{hosts.length} sites</span>
  return hosts.map(host => <div key={host}>{host}</div>)
}
