import type { Permissions } from '@mainstay-auth/client'
import { t } from '../../../../pieces/language/t.js'
import { PERMISSIONS, permissionName } from '../../../../pieces/people/permission-names.js'

/** The service's default for new members. */
export const NEW_MEMBER: Permissions = {
  payments: false,
  accountSettings: false,
  teamManagement: false,
  dataEntry: true,
  viewReports: true,
}

/** The five permissions to choose from; nobody can grant what they do not have. */
export function PermissionBoxes({
  given,
  mayGive,
}: {
  readonly given: Permissions
  readonly mayGive: Permissions
}) {
  return (
    <fieldset>
      <legend>{t('permission.title')}</legend>
      {PERMISSIONS.map(name => (
        <label key={name} className="choice">
          <input
            type="checkbox"
            name={name}
            defaultChecked={given[name]}
            disabled={!mayGive[name] && !given[name]}
          />
          {permissionName(name)}
        </label>
      ))}
    </fieldset>
  )
}

/** Those that somebody has changed here: of the others, this page may no longer know how they are. */
export function permissionChangesIn(form: HTMLFormElement): Partial<Permissions> {
  const changed = PERMISSIONS.flatMap(name => {
    const { checked, defaultChecked } = form.elements.namedItem(name) as HTMLInputElement
    return checked === defaultChecked ? [] : [[name, checked]]
  })
  return Object.fromEntries(changed)
}

export function permissionsIn(form: HTMLFormElement): Permissions {
  const isChecked = (name: string) => (form.elements.namedItem(name) as HTMLInputElement).checked
  return Object.fromEntries(PERMISSIONS.map(name => [name, isChecked(name)])) as unknown as Permissions
}
