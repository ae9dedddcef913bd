import type { Permissions } from '@mainstay-auth/client'
import { useState } from 'react'
import { type Load, Loaded, useLoad } from '../../../pieces/loading.js'
import { Hint } from '../../../pieces/notices.js'
import { PERMISSIONS, permissionName } from '../../../pieces/people.js'
import { hostOf } from '../../../pieces/site.js'
import { t } from '../../../pieces/t.js'
import { call, type TeamSatellite } from '../../api.js'

/** The service's default for new members. */
export const NEW_MEMBER: Permissions = {
  payments: false,
  accountSettings: false,
  teamManagement: false,
  dataEntry: true,
  viewReports: true,
}

/** The five permissions to choose from; a manager cannot grant what they do not have. */
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

/** Those that somebody has, in a word or as many as it takes. */
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

/** Those that the user has changed here: of the others, this page may no longer know how they are. */
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

/** Labels for satellites at which no user can log in. */
const closedStates = () => ({
  pending: { name: t('satelliteState.pending'), look: 'warn' },
  suspended: { name: t('satelliteState.suspended'), look: 'bad' },
  removed: { name: t('satelliteBoxes.removed'), look: 'bad' },
})

export interface TeamSatellites {
  readonly satellites: readonly TeamSatellite[]
}

export function useTeamSatellites(): Load<TeamSatellites> {
  return useLoad(() => call<TeamSatellites>('GET', 'team/satellites'))
}

/** Where a new member may log in: everywhere, unless that is changed. */
export function NewMembersSatellites() {
  return <SatelliteBoxes list={useTeamSatellites()} chosen={null} />
}

/** Where a member may log in: everywhere, or at chosen satellites. */
export function SatelliteBoxes({
  list,
  chosen,
}: {
  readonly list: Load<TeamSatellites>
  readonly chosen: readonly string[] | null
}) {
  const [isEverywhere, setIsEverywhere] = useState(chosen === null)
  return (
    <fieldset>
      <legend>{t('satelliteBoxes.title')}</legend>
      <label className="choice">
        <input
          type="checkbox"
          name="everywhere"
          defaultChecked={chosen === null}
          onChange={event => setIsEverywhere(event.target.checked)}
        />
        {t('satelliteBoxes.everywhere')}
      </label>
      <Loaded of={list}>
        {({ satellites }) =>
          isEverywhere ? (
            <PreviewHint satellites={satellites} />
          ) : (
            <>
              {withRemoved(satellites, chosen ?? []).map(satellite => {
                const isChosen = chosen?.includes(satellite.origin) ?? false
                // Another manager may have changed it since it was ticked here.
                return (
                  <Box key={`${satellite.origin} ${isChosen}`} satellite={satellite} isChosen={isChosen} />
                )
              })}
              <small>{t('satelliteBoxes.hint')}</small>
            </>
          )
        }
      </Loaded>
    </fieldset>
  )
}

/** The chosen origins; null for everywhere. */
export function satellitesIn(form: HTMLFormElement): string[] | null {
  const data = new FormData(form)
  return data.has('everywhere') ? null : data.getAll('satellite').map(String)
}

/**
 * What is different here from what was chosen: of the others, this page may no longer know whether they still are. From
 * everywhere to some, or back, it is all of them.
 */
export function satelliteChangesIn(
  form: HTMLFormElement,
  chosen: readonly string[] | null,
): SatelliteChanges {
  const now = satellitesIn(form)
  if (now === null && chosen === null) return {}
  if (now === null || chosen === null) return { satellites: now }
  return {
    add: now.filter(origin => !chosen.includes(origin)),
    remove: chosen.filter(origin => !now.includes(origin)),
  }
}

interface SatelliteChanges {
  readonly satellites?: readonly string[] | null
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

type Offered = Omit<TeamSatellite, 'state'> & { readonly state: TeamSatellite['state'] | 'removed' }

/** Chosen satellites that no longer exist stay in the list, so that they can be unticked. */
function withRemoved(satellites: readonly TeamSatellite[], chosen: readonly string[]): Offered[] {
  const removed = chosen.filter(origin => !satellites.some(satellite => satellite.origin === origin))
  return [
    ...satellites,
    ...removed.map(
      origin => ({ origin, name: hostOf(origin), kind: 'production', state: 'removed' }) as const,
    ),
  ]
}

function Box({ satellite, isChosen }: { readonly satellite: Offered; readonly isChosen: boolean }) {
  const { origin, name, kind, state } = satellite
  const host = hostOf(origin)
  const closed = state === 'active' ? null : closedStates()[state]
  return (
    <label className="choice">
      <input type="checkbox" name="satellite" value={origin} defaultChecked={isChosen} />
      <span>
        {name} {kind === 'preview' && <span className="tag">{t('satellites.previews')}</span>}{' '}
        {closed && <span className={`tag ${closed.look}`}>{closed.name}</span>}{' '}
        {name !== host && <small>{host}</small>}
      </span>
    </label>
  )
}

/** "Everywhere" excludes previews, whose code may come from anyone who can open a pull request. */
function PreviewHint({ satellites }: { readonly satellites: readonly TeamSatellite[] }) {
  const previews = satellites.filter(({ kind }) => kind === 'preview')
  if (previews.length === 0) return null
  return <Hint>{t('satelliteBoxes.previews', { names: previews.map(({ name }) => name).join(', ') })}</Hint>
}
