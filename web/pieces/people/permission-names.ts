import type { Permissions } from '@mainstay-auth/client'
import { t } from '../language/t.js'

export type Permission = keyof Permissions

/** The five permissions, in the order in which they are shown. */
export const PERMISSIONS: readonly Permission[] = [
  'payments',
  'accountSettings',
  'teamManagement',
  'dataEntry',
  'viewReports',
]

/** A permission in people's words. */
export function permissionName(permission: Permission): string {
  return t(`permission.${permission}`)
}
