import type { Permissions } from '@mainstay-auth/client'
import { t } from '../language/t.js'

export type Permission = keyof Permissions

/** The five permissions, in display order. */
export const PERMISSIONS: readonly Permission[] = [
  'payments',
  'accountSettings',
  'teamManagement',
  'dataEntry',
  'viewReports',
]

/** The readable name of a permission. */
export function permissionName(permission: Permission): string {
  return t(`permission.${permission}`)
}
