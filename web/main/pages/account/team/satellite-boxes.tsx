import { useState } from 'react'
import { hostOf, site } from '../../../../pieces/site.js'

/** Where a member may log in: everywhere, or at chosen satellites. Sites that are listed no more stay to be unticked. */
export function SatelliteBoxes({ chosen }: { readonly chosen: readonly string[] | null }) {
  const [isEverywhere, setIsEverywhere] = useState(chosen === null)
  const origins = [...new Set([...site.satellites, ...(chosen ?? [])])]
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
      {!isEverywhere &&
        origins.map(origin => (
          <label key={origin} className="choice">
            <input
              type="checkbox"
              name="satellite"
              value={origin}
              defaultChecked={chosen?.includes(origin) ?? false}
            />
            {origin.startsWith('https:') ? hostOf(origin) : origin}
          </label>
        ))}
    </fieldset>
  )
}

/** The chosen origins; null for everywhere. */
export function satellitesIn(form: HTMLFormElement): string[] | null {
  const data = new FormData(form)
  return data.has('everywhere') ? null : data.getAll('satellite').map(String)
}
