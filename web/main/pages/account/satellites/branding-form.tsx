import { useState } from 'react'
import { ActionButton } from '../../../../pieces/forms/button.js'
import { Field } from '../../../../pieces/forms/field.js'
import { rescueFocus } from '../../../../pieces/forms/focus.js'
import { Form } from '../../../../pieces/forms/form.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { t } from '../../../../pieces/language/t.js'
import { Failure } from '../../../../pieces/notices/notice.js'
import { toast } from '../../../../pieces/notices/toasts.js'
import type { Branding } from '../../../answers.js'
import { call } from '../../../api.js'
import { BrandingPreview } from './branding-preview.js'
import type { SatelliteProps } from './satellite-props.js'

/** The initial colours of a satellite without branding: our own. */
const COLOURS = { accent: '#1d5bd6', background: '#f4f6f9' }

/** How the satellite looks in mails about it, and where people log in for it. */
export function BrandingForm({ satellite: { id, name, branding }, reload }: SatelliteProps) {
  const [draft, setDraft] = useState<Branding>(branding ?? { name, logoUrl: null, ...COLOURS })
  const change = (part: Partial<Branding>) => setDraft(before => ({ ...before, ...part }))
  const patch = async (changed: Branding | null, message: string) => {
    await call('PATCH', `satellites/${id}`, { branding: changed })
    await reload()
    toast(message)
  }
  const remove = useAction(async () => {
    await patch(null, t('satelliteBranding.removed'))
    // The button goes with the branding.
    setTimeout(rescueFocus)
  })
  return (
    <>
      <BrandingPreview branding={draft} />
      <Form
        submit={t('satelliteBranding.submit')}
        send={texts => patch(brandingIn(texts), t('satelliteBranding.saved'))}
        beside={branding && <ActionButton action={remove}>{t('satelliteBranding.remove')}</ActionButton>}
      >
        <Field
          label={t('satelliteBranding.name')}
          name="branding.name"
          value={draft.name}
          onChange={event => change({ name: event.target.value })}
          autoComplete="off"
          maxLength={100}
          required
        />
        <Field
          label={t('satelliteBranding.logo')}
          name="branding.logoUrl"
          type="url"
          defaultValue={draft.logoUrl ?? ''}
          // Not at each keystroke, which would request the logo from half a URL.
          onBlur={event => change({ logoUrl: event.target.value.trim() || null })}
          placeholder="https://shop.example.com/logo.png"
          hint={t('satelliteBranding.logoHint')}
          autoComplete="off"
          maxLength={500}
        />
        <div className="colours">
          <Field
            label={t('satelliteBranding.accent')}
            name="branding.accent"
            type="color"
            value={draft.accent}
            onChange={event => change({ accent: event.target.value })}
          />
          <Field
            label={t('satelliteBranding.background')}
            name="branding.background"
            type="color"
            value={draft.background}
            onChange={event => change({ background: event.target.value })}
          />
        </div>
        <Failure error={remove.error} />
      </Form>
    </>
  )
}

function brandingIn(texts: Readonly<Record<string, string>>): Branding {
  const text = (name: keyof Branding) => texts[`branding.${name}`]?.trim() ?? ''
  return {
    name: text('name'),
    logoUrl: text('logoUrl') || null,
    accent: text('accent'),
    background: text('background'),
  }
}
