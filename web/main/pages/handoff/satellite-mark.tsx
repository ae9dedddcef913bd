import { useLayoutEffect, useState } from 'react'
import { inkOn } from '../../../../src/platform/contrast.js'
import { showBackground } from '../../../pieces/site/brand.js'
import type { Branding } from '../../answers.js'

/**
 * The look of a satellite that has branding. The person who registered it chose all of this, so its host must
 * be shown beside it.
 */
export function SatelliteMark({ branding: { name, logoUrl, background } }: { readonly branding: Branding }) {
  const [isLogoMissing, setIsLogoMissing] = useState(false)
  useLayoutEffect(() => showBackground(background), [background])
  const logo = logoUrl?.startsWith('https://') && !isLogoMissing ? logoUrl : null
  return (
    <div className="branded" style={{ background, color: inkOn(background) }}>
      {logo && <img src={logo} alt="" onError={() => setIsLogoMissing(true)} />}
      <strong>
        <bdi>{name}</bdi>
      </strong>
    </div>
  )
}
