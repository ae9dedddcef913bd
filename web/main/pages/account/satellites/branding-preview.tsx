import { useState } from 'react'
import { inkOn } from '../../../../../src/brand/contrast.js'
import type { Branding } from '../../../answers.js'

/** How it will look, as far as one can see. */
export function BrandingPreview({
  branding: { name, logoUrl, accent, background },
}: {
  readonly branding: Branding
}) {
  const [missing, setMissing] = useState<string | null>(null)
  const shown = name.trim() || 'Your site'
  const logo = logoUrl?.startsWith('https://') && URL.canParse(logoUrl) ? logoUrl : null
  return (
    <figure className="branding">
      <div className="branded" style={{ background, color: inkOn(background) }}>
        {logo && logo !== missing && <img key={logo} src={logo} alt="" onError={() => setMissing(logo)} />}
        <strong>{shown}</strong>
        <span className="button" style={{ background: accent, color: inkOn(accent) }}>
          Continue to {shown}
        </span>
      </div>
      <figcaption>
        <small>
          Preview. {logo && logo === missing && 'No picture can be loaded from the address of the logo.'}
        </small>
      </figcaption>
    </figure>
  )
}
