import { useState } from 'react'
import { Hint } from '../../../../pieces/notice.js'
import { hostOf } from '../../../../pieces/site.js'
import { useLoad } from '../../../../pieces/use-load.js'
import { Loaded } from '../../../../pieces/waiting.js'
import type { TeamSatellite } from '../../../answers.js'
import { call } from '../../../api.js'

/** What is said of a satellite that nobody can log in at. */
const CLOSED = {
  pending: { name: 'Waiting for its proof', look: 'warn' },
  suspended: { name: 'Suspended', look: 'bad' },
  removed: { name: 'Removed', look: 'bad' },
}

/** Where a member may log in: everywhere, or at chosen satellites. */
export function SatelliteBoxes({ chosen }: { readonly chosen: readonly string[] | null }) {
  const list = useLoad(() => call<{ satellites: TeamSatellite[] }>('GET', 'team/satellites'))
  const [isEverywhere, setIsEverywhere] = useState(chosen === null)
  return (
    <fieldset>
      <legend>May log in at</legend>
      <label className="choice">
        <input
          type="checkbox"
          name="everywhere"
          checked={isEverywhere}
          onChange={event => setIsEverywhere(event.target.checked)}
        />
        Everywhere: this site and all satellites, including new ones
      </label>
      <Loaded of={list}>
        {({ satellites }) =>
          isEverywhere ? (
            <PreviewHint satellites={satellites} />
          ) : (
            <>
              {withRemoved(satellites, chosen ?? []).map(satellite => (
                <Box
                  key={satellite.origin}
                  satellite={satellite}
                  isChosen={chosen?.includes(satellite.origin) ?? false}
                />
              ))}
              <small>
                With chosen sites, people can enter data and view reports at most, here as well as there.
              </small>
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

type Offered = Omit<TeamSatellite, 'state'> & { readonly state: TeamSatellite['state'] | 'removed' }

/** Those that are chosen and exist no more stay to be unticked. */
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
  const closed = state === 'active' ? null : CLOSED[state]
  return (
    <label className="choice">
      <input type="checkbox" name="satellite" value={origin} defaultChecked={isChosen} />
      <span>
        {name} {kind === 'preview' && <span className="tag">Previews</span>}{' '}
        {closed && <span className={`tag ${closed.look}`}>{closed.name}</span>}{' '}
        {name !== host && <small>{host}</small>}
      </span>
    </label>
  )
}

/** "Everywhere" is without previews, which anybody who can open a pull request may have written. */
function PreviewHint({ satellites }: { readonly satellites: readonly TeamSatellite[] }) {
  const previews = satellites.filter(({ kind }) => kind === 'preview')
  if (previews.length === 0) return null
  return (
    <Hint>
      Previews are not among them ({previews.map(({ name }) => name).join(', ')}). To give access to those,
      choose the sites one by one.
    </Hint>
  )
}
