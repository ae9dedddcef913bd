import type { Permissions } from '@mainstay-auth/client'
import { PERMISSION_NAMES, PERMISSIONS } from './permission-names.js'

/** All five, and whether each is given; said in words too, not by colour alone. */
export function PermissionList({ permissions }: { readonly permissions: Permissions }) {
  return (
    <ul className="permissions">
      {PERMISSIONS.map(name => (
        <li key={name} className={permissions[name] ? 'yes' : 'no'}>
          {PERMISSION_NAMES[name]}: <strong>{permissions[name] ? 'yes' : 'no'}</strong>
        </li>
      ))}
    </ul>
  )
}
