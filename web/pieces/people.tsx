import type { Permissions } from '@mainstay-auth/client'
import type { CSSProperties } from 'react'
import { initialsOf } from './initials.js'
import { t } from './t.js'

/** The angle between hues: 137 degrees apart, neighbours differ most, however many there are. */
const STEP = 137

/** A picture of somebody made of their initials, in a hue that is always theirs; their name is shown beside it. */
export function Avatar({ name, isLarge = false }: { readonly name: string; readonly isLarge?: boolean }) {
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  const style = { '--hue': (sum * STEP) % 360 } as CSSProperties
  return (
    <span className={isLarge ? 'avatar large' : 'avatar'} style={style} aria-hidden="true">
      {initialsOf(name)}
    </span>
  )
}

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

/** The service's name for a device, such as “Chrome on Windows”, in the page's language. */
export function deviceWords(device: string): string {
  const [app, system] = device.split(' on ')
  if (system) return t('device.appOnSystem', { app: app as string, system })
  return device === 'Unknown device' ? t('device.unknown') : device
}

/** Whether it is a handheld device, as far as its name tells. */
export function isPhone(device: string): boolean {
  return /iPhone|iPad|iOS|Android/.test(device)
}
