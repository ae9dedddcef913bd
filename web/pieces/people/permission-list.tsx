import type { Permissions } from '@mainstay-auth/client'
import { t } from '../language/t.js'
import { PERMISSIONS, permissionName } from './permission-names.js'

/** All five, and whether each is granted; in words too, not by colour alone. */
export function PermissionList({ permissions }: { readonly permissions: Permissions }) {
  return (
    <ul className="permissions">
      {PERMISSIONS.map(name => (
        <li key={name} className={permissions[name] ? 'yes' : 'no'}>
          {permissionName(name)}: <strong>{permissions[name] ? t('common.yes') : t('common.no')}</strong>
        </li>
      ))}
    </ul>
  )
}
