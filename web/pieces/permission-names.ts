import type { Permissions } from '@mainstay-auth/client'

export type Permission = keyof Permissions

/** The five permissions in people's words, in the order in which they are shown. */
export const PERMISSION_NAMES: Readonly<Record<Permission, string>> = {
  payments: 'Payments',
  accountSettings: 'Account settings',
  teamManagement: 'Team management',
  dataEntry: 'Data entry',
  viewReports: 'View reports',
}

export const PERMISSIONS = Object.keys(PERMISSION_NAMES) as Permission[]
