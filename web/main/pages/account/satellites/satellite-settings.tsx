import { useState } from 'react'
import { RadioChoice, SelectField } from '../../../../pieces/forms/choice.js'
import { Field } from '../../../../pieces/forms/field.js'
import { Form } from '../../../../pieces/forms/form.js'
import { Success } from '../../../../pieces/notice.js'
import { permissionName } from '../../../../pieces/permission-names.js'
import { call } from '../../../api.js'
import type { SatelliteProps } from './satellite-props.js'
import { sessionOptions } from './session-options.js'

const LOGIN_MODES = [
  { value: 'both', name: 'Either way', hint: 'With their password there, or through this site.' },
  {
    value: 'handoff',
    name: 'Through this site only',
    hint: 'Nobody types a password there, so its pages never see one.',
  },
  { value: 'password', name: 'With their password there only' },
]

const SECOND_FACTORS = [
  {
    value: 'handoff',
    name: 'On this site, then back to the satellite',
    hint: 'No page of the satellite sees a code.',
  },
  {
    value: 'allowed',
    name: 'On the satellite too',
    hint: 'Only if you trust every script of its pages: one could use a code before whoever types it.',
  },
]

/** The permissions that a session of a satellite can have at all. */
const CEILING = ['dataEntry', 'viewReports'] as const

export function SatelliteSettings({ satellite, reload }: SatelliteProps) {
  const { id, name, kind, ceiling, loginMode, secondFactor, sessionSeconds } = satellite
  const [isSaved, setIsSaved] = useState(false)
  const save = async (texts: Readonly<Record<string, string>>) => {
    setIsSaved(false)
    await call('PATCH', `satellites/${id}`, {
      name: texts.name?.trim(),
      ceiling: Object.fromEntries(CEILING.map(permission => [permission, permission in texts])),
      loginMode: texts.loginMode,
      secondFactor: texts.secondFactor,
      sessionSeconds: texts.sessionSeconds ? Number(texts.sessionSeconds) : null,
    })
    await reload()
    setIsSaved(true)
  }
  return (
    <Form submit="Save settings" send={save}>
      {isSaved && <Success>Settings saved.</Success>}
      <Field label="Name" name="name" defaultValue={name} autoComplete="off" maxLength={100} required />
      <fieldset>
        <legend>The most that people may do there</legend>
        {CEILING.map(permission => (
          <label key={permission} className="choice">
            <input type="checkbox" name={permission} defaultChecked={ceiling[permission]} />
            {permissionName(permission)}
          </label>
        ))}
      </fieldset>
      <RadioChoice
        label="How people log in there"
        name="loginMode"
        options={LOGIN_MODES}
        chosen={loginMode}
      />
      <RadioChoice
        label="Where people with a second factor log in"
        name="secondFactor"
        options={SECOND_FACTORS}
        chosen={secondFactor}
      />
      <SelectField
        label="How long they stay logged in"
        name="sessionSeconds"
        options={sessionOptions(kind, sessionSeconds)}
        chosen={String(sessionSeconds ?? '')}
        hint="Counts for logins from now on."
      />
    </Form>
  )
}
