import { MainstayError } from '@mainstay-auth/client'
import { useState } from 'react'
import { RadioChoice } from '../../../../pieces/forms/choice.js'
import { Field } from '../../../../pieces/forms/field.js'
import { Form, type Texts } from '../../../../pieces/forms/form.js'
import { messageOf } from '../../../../pieces/messages.js'
import { go } from '../../../../pieces/router.js'
import { toast } from '../../../../pieces/toasts.js'
import type { Satellite } from '../../../answers.js'
import { call } from '../../../api.js'

const KINDS = [
  { value: 'production', name: 'A site', hint: 'One address, for everybody whom you give access.' },
  {
    value: 'preview',
    name: 'Preview deployments',
    hint: 'Many addresses of one pattern, for members whom you give access by name, and for 8 hours at a time.',
  },
]

const ADDRESS_FIELDS = {
  production: {
    label: 'Address',
    placeholder: 'https://shop.example.com',
    hint: 'With https, and without a path.',
  },
  preview: {
    label: 'Pattern of the addresses',
    placeholder: 'https://*.preview.example.com',
    hint: 'The asterisk stands for letters, digits and hyphens in the first part of the name.',
  },
}

/** Leads to the new satellite, which has to be proven there. */
export function AddSatellite() {
  const [kind, setKind] = useState<keyof typeof ADDRESS_FIELDS>('production')
  const add = async ({ origin = '', name = '' }: Texts) => {
    const added = await call<Satellite>('POST', 'satellites', {
      origin: originIn(origin),
      name: name.trim(),
      kind,
    }).catch(asFieldError)
    toast(`${added.name} has been added.`)
    go(`/account/satellites/${added.id}`)
  }
  return (
    <Form submit="Add satellite" send={add}>
      <RadioChoice
        label="What it is"
        name="kind"
        options={KINDS}
        chosen={kind}
        onChoose={value => setKind(value as typeof kind)}
      />
      <Field
        {...ADDRESS_FIELDS[kind]}
        name="origin"
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={300}
        required
      />
      <Field
        label="Name"
        name="name"
        hint="For people: in lists, and in mails about the satellite."
        autoComplete="off"
        maxLength={100}
        required
      />
    </Form>
  )
}

/** What somebody means who leaves out `https://`, or copies the address with the slash behind it. */
function originIn(text: string): string {
  const address = text.trim().toLowerCase().replace(/\/$/, '')
  return /^[a-z]+:\/\//.test(address) ? address : `https://${address}`
}

/** That the origin is taken stands beside it, like everything else that is wrong with it. */
function asFieldError(error: unknown): never {
  if (!(error instanceof MainstayError && error.code === 'ORIGIN_TAKEN')) throw error
  const errors = [{ field: 'origin', message: messageOf(error) }]
  throw new MainstayError(error.status, { code: 'INVALID_BODY', errors })
}
