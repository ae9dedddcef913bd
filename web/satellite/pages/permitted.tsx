import type { Permissions } from '@mainstay-auth/client'
import type { ReactNode } from 'react'
import { EmptyPage } from '../../pieces/empty.js'
import { t } from '../../pieces/language/t.js'
import { useLoad } from '../../pieces/loading/use-load.js'
import { Loaded } from '../../pieces/loading/waiting.js'
import { type Permission, permissionName } from '../../pieces/people/permission-names.js'
import { read } from '../client.js'

/** Shows its content to people who may see it, according to the service's answer for this same token. */
export function Permitted({
  permission,
  children,
}: {
  readonly permission: Permission
  readonly children: ReactNode
}) {
  const answer = useLoad(() => read<{ permissions: Permissions }>('data'))
  return (
    <Loaded of={answer}>
      {({ permissions }) =>
        permissions[permission] ? (
          children
        ) : (
          <EmptyPage icon="shield" link={t('satellite.toStart')}>
            {t('satellite.permissionNeeded', { permission: permissionName(permission) })}
          </EmptyPage>
        )
      }
    </Loaded>
  )
}
