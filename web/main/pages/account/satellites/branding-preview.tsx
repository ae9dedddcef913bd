import { useState } from 'react'
import { inkOn } from '../../../../../src/platform/contrast.js'
import { t } from '../../../../pieces/language/t.js'
import type { Branding } from '../../../answers.js'

/** An approximate preview. */
export function BrandingPreview({
  branding: { name, logoUrl, accent, background },
}: {
  readonly branding: Branding
}) {
  const [missing, setMissing] = useState<string | null>(null)
  const shown = name.trim() || t('satelliteBranding.yourSite')
  const logo = logoUrl?.startsWith('https://') && URL.canParse(logoUrl) ? logoUrl : null
  return (
    <figure className="branding">
      <div className="branded" style={{ background, color: inkOn(background) }}>
        {logo && logo !== missing && <img key={logo} src={logo} alt="" onError={() => setMissing(logo)} />}
        <strong>{shown}</strong>
        <span className="button" style={{ background: accent, color: inkOn(accent) }}>
          {t('satelliteBranding.continue', { shown })}
        </span>
      </div>
      <figcaption>
        <small>
          {t('satelliteBranding.preview')} {logo && logo === missing && t('satelliteBranding.noPicture')}
        </small>
      </figcaption>
    </figure>
  )
}
