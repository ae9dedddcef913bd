import { MainstayError } from '@mainstay-auth/client'
import { useState } from 'react'
import { RadioChoice } from '../../../../pieces/forms/choice.js'
import { Field } from '../../../../pieces/forms/field.js'
import { Form, type Texts } from '../../../../pieces/forms/form.js'
import { t } from '../../../../pieces/language/t.js'
import { messageOf } from '../../../../pieces/notices/messages.js'
import { toast } from '../../../../pieces/notices/toasts.js'
import { go, watchPage } from '../../../../pieces/router.js'
import type { Satellite } from '../../../answers.js'
import { call } from '../../../api.js'

const kinds = () => [
  { value: 'production', name: t('addSatellite.site'), hint: t('addSatellite.siteHint') },
  {
    value: 'preview',
    name: t('addSatellite.preview'),
    hint: t('addSatellite.previewHint'),
  },
]

const addressFields = () => ({
  production: {
    label: t('satellite.address'),
    placeholder: 'https://shop.example.com',
    hint: t('addSatellite.addressHint'),
  },
  preview: {
    label: t('addSatellite.pattern'),
    placeholder: 'https://*.preview.example.com',
    hint: t('addSatellite.patternHint'),
  },
})

/** Leads to the new satellite, where its proof is checked. */
export function AddSatellite() {
  const [kind, setKind] = useState<'production' | 'preview'>('production')
  const add = async ({ origin = '', name = '' }: Texts) => {
    const isStillHere = watchPage()
    const added = await call<Satellite>('POST', 'satellites', {
      origin: originIn(origin),
      name: name.trim(),
      kind,
    }).catch(asFieldError)
    toast(t('addSatellite.added', { name: added.name }))
    if (isStillHere()) go(`/account/satellites/${added.id}`)
  }
  return (
    <Form submit={t('addSatellite.submit')} send={add}>
      <RadioChoice
        label={t('addSatellite.kind')}
        name="kind"
        options={kinds()}
        chosen={kind}
        onChoose={value => setKind(value as typeof kind)}
      />
      <Field
        {...addressFields()[kind]}
        name="origin"
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={300}
        required
      />
      <Field
        label={t('field.name')}
        name="name"
        hint={t('addSatellite.nameHint')}
        autoComplete="off"
        maxLength={100}
        required
      />
    </Form>
  )
}

/** Corrects an address typed without `https://`, or copied with a trailing slash. */
function originIn(text: string): string {
  const address = text.trim().toLowerCase().replace(/\/$/, '')
  return /^[a-z]+:\/\//.test(address) ? address : `https://${address}`
}

/** Shows a taken origin as an error at its field, like everything else that is wrong with it. */
function asFieldError(error: unknown): never {
  if (!(error instanceof MainstayError && error.code === 'ORIGIN_TAKEN')) throw error
  const errors = [{ field: 'origin', message: messageOf(error) }]
  throw new MainstayError(error.status, { code: 'INVALID_BODY', errors })
}
